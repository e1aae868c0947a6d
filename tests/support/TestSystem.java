package tests.support;

import static org.awaitility.Awaitility.await;

import app.AccessApplication;
import app.Settings;
import app.db.Migrations;
import demo.EmbeddedStack;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * One system for one test: a database of its own (cloned from a migrated one), a topic of its own, and as many instances
 * of the application as the test starts, in this JVM or as processes. The servers are shared by all tests of the JVM.
 */
public final class TestSystem implements BeforeEachCallback, AfterEachCallback {

    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final String TEMPLATE = "template_migrated";
    private static @Nullable EmbeddedStack shared;

    static {
        // What takes half a second takes ten on a machine that has other things to do.
        Awaitility.setDefaultTimeout(Duration.ofSeconds(60));
    }

    private final Instances instances = new Instances();
    private String name = "";
    private @Nullable Identity identity;
    private @Nullable AccessTopic topic;

    /** The servers, started when they are first asked for; they end with the JVM. */
    public static synchronized EmbeddedStack stack() {
        if (shared == null) {
            try {
                var started = EmbeddedStack.start();
                shared = started;
                Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                    try {
                        started.close();
                    } catch (IOException e) {
                        System.err.println("embedded servers: " + e.getMessage());
                    }
                }));
                try (var connection = started.superuser("postgres");
                        var statement = connection.createStatement()) {
                    statement.execute("create database " + TEMPLATE);
                }
                new Migrations(Settings.load(null, Map.of(), started.settings(TEMPLATE))).run();
                started.createRunUser(TEMPLATE);
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
        return shared;
    }

    @Override
    public void beforeEach(ExtensionContext context) throws Exception {
        open();
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        close();
    }

    /** For tests that are no Jupiter tests: what happens before each test. */
    public void open() throws Exception {
        name = "t" + ProcessHandle.current().pid() + "_" + NUMBER.incrementAndGet();
        createDatabase(name, TEMPLATE);
        identity = new Identity(stack().url(name));
        topic = new AccessTopic(stack().kafka().brokers(), "access." + name);
        topic.create(6);
    }

    /** What happens after each test. */
    public void close() throws Exception {
        instances.close();
        topic.close();
        identity.close();
        try (var connection = stack().superuser("postgres");
                var statement = connection.createStatement()) {
            statement.execute("drop database " + name + " with (force)");
        }
    }

    /** An empty database, or a copy of another. */
    public static void createDatabase(String name, String template) throws SQLException {
        stack();
        try (var connection = stack().superuser("postgres");
                var statement = connection.createStatement()) {
            statement.execute("create database " + name + " template " + template);
        }
    }

    public Identity identity() {
        return identity;
    }

    public AccessTopic topic() {
        return topic;
    }

    /** All records, when nothing is on its way any more: no task is open, nothing is announced, and the outbox is empty. */
    public List<AccessTopic.AccessRecord> settled() {
        await().until(() -> identity.sql().queryForObject("""
                select not exists (select from identity.access_fanout_tasks where status in ('Pending', 'InProgress'))
                    and not exists (select from identity.access_announcements)
                    and not exists (select from identity.outbox)""", Boolean.class));
        return topic.settled();
    }

    /** A topic beside the one of access events; the test creates and closes it. */
    public AccessTopic anotherTopic(String ending) {
        return new AccessTopic(stack().kafka().brokers(), topic.name() + "." + ending);
    }

    public String database() {
        return name;
    }

    /** The settings of this system's instances, with some of them given in pairs of name and value. */
    public Properties settings(String... overrides) {
        var settings = stack().settings(name);
        settings.setProperty("identity.topic", topic.name());
        settings.setProperty("identity.relay.transactional-id-prefix", "access-" + name);
        // Nothing expires unless a test wants it: some look at assignments past their end.
        settings.setProperty("identity.expiry.schedule", "0 0 0 1 1 ? 2099");
        return Instances.settings(settings, overrides);
    }

    /** An instance in this JVM; it is stopped after the test. */
    public AccessApplication start(String... overrides) {
        return instances.start(settings(overrides));
    }

    /** One that is also the access cache of a service, in the same database: what identity publishes, it applies. */
    public AccessApplication startWithAccessCache(String... overrides) throws Exception {
        stack().kafka().createTopic(topic.name() + ".gateway.dlq", 1);
        var settings = stack().withAccessCache(settings(overrides), name);
        new Migrations(Settings.load(null, Map.of(), settings)).run();
        stack().createAccessCacheUser(name);
        return instances.start(settings);
    }

    /** A command as an operator runs it, with this system's settings. */
    public Command run(String... arguments) {
        return Command.run(settings(), arguments);
    }

    /** An instance as a process of its own; it is killed after the test. */
    public WorkerProcess startProcess(String... overrides) throws IOException {
        return startProcess(null, null, overrides);
    }

    /** @param jvm options of its JVM */
    public WorkerProcess startProcess(List<String> jvm, String... overrides) throws IOException {
        return startProcess(jvm, null, overrides);
    }

    /**
     * @param jvm options of its JVM; null for the usual ones
     * @param overlay a folder whose files stand in front of those of the application; null for none
     */
    public WorkerProcess startProcess(@Nullable List<String> jvm, @Nullable Path overlay, String... overrides)
            throws IOException {
        return instances.startProcess(name, settings(overrides), jvm, overlay);
    }
}
