package tests.operations;

import app.AccessApplication;
import app.Settings;
import app.db.Migrations;
import demo.EmbeddedKafka;
import demo.EmbeddedStack;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import tests.support.EventRecord;
import tests.support.Identity;
import tests.support.ProductionLog;
import tests.support.TestSystem;
import tests.support.UserEvent;

/**
 * A system under the contract's names with everything in one instance: identity, the author replica, the access cache of
 * gateway. In front of it sits an operator, who has the rights of docs/database.md and no more, and the runbooks.
 */
final class OperatedSystem implements AutoCloseable {

    static final String ACCESS_TOPIC = "pin.identity.access.v1";
    static final String USERS_TOPIC = "pin.identity.users.v1";
    static final String GROUP = "gateway";
    static final String NEWS_GROUP = "news-identity-users";

    private static final int USERS_PARTITIONS = 3;
    private static final String OPERATOR = "runbook_operator";
    private static final String STRANGER = "nightly_report";
    private static final List<String> DEAD_LETTER_TOPICS =
            List.of(ACCESS_TOPIC + "." + GROUP + ".dlq", USERS_TOPIC + "." + NEWS_GROUP + ".dlq");

    private final TestSystem system = new TestSystem();
    private final ProductionLog log = new ProductionLog();
    private final JdbcTemplate operator;
    private final Properties settings;
    private @Nullable AccessApplication application;

    OperatedSystem() throws Exception {
        system.open();
        settings = system.settings(
                "identity.topic", ACCESS_TOPIC,
                "identity.fanout.batch-size", "5",
                "identity.fanout.polling-interval", "200ms",
                "identity.jobs.polling-interval", "200ms",
                "identity.measure-interval", "100ms",
                // Whoever does not reach Kafka gives the lanes back after twice as long, and tries again after four
                // times.
                "identity.relay.heartbeat-interval", "200ms",
                "identity.relay.lane-lease", "2s",
                "identity.expiry.schedule", "* * * * * ?",
                "news.enabled", "true",
                "news.db.url", url(),
                "news.db.user", EmbeddedStack.NEWS_USER,
                // So that what Kafka does not take is soon known.
                "camel.component.kafka.request-timeout-ms", "1000",
                "camel.component.kafka.delivery-timeout-ms", "1500");
        TestSystem.stack().withAccessCache(settings, system.database());
        new Migrations(Settings.load(null, Map.of(), settings)).run();
        TestSystem.stack().createNewsUser(system.database());
        TestSystem.stack().createAccessCacheUser(system.database());
        kafka().createTopic(ACCESS_TOPIC, 6);
        kafka().createTopic(USERS_TOPIC, USERS_PARTITIONS);
        for (var topic : DEAD_LETTER_TOPICS) {
            kafka().createTopic(topic, 1);
        }
        fillUsersTopic();
        createLogins();
        operator = new JdbcTemplate(new SingleConnectionDataSource(url(), OPERATOR, "", true));
    }

    /** The rights of an operator are those that docs/database.md names. */
    private void createLogins() {
        for (var login : List.of(OPERATOR, STRANGER)) {
            sql().execute("do $$ begin create user " + login + "; exception when duplicate_object then null; end $$");
        }
        sql().execute("grant identity_access_operator, news_operator, access_cache_operator, pg_read_all_stats,"
                + " pg_signal_backend to " + OPERATOR);
        sql().execute("grant usage on schema identity, news, access_cache to " + STRANGER);
        sql().execute("grant all on identity.users, news.author_replicas, access_cache.user_access to " + STRANGER);
    }

    /** As a topic is that is in use: something has come to each partition. */
    private void fillUsersTopic() throws Exception {
        for (int partition = 0; partition < USERS_PARTITIONS; partition++) {
            send(USERS_TOPIC, partition, UserEvent.upserted(UUID.randomUUID(), 1));
        }
    }

    void start() {
        var started = new AccessApplication(Settings.load(null, Map.of(), settings));
        application = started;
        started.start();
    }

    void stop() {
        application.close();
        application = null;
    }

    void startIfStopped() {
        if (application == null) {
            start();
        }
    }

    void stopRoute(String id) throws Exception {
        application.camel().getRouteController().stopRoute(id);
    }

    void startRoute(String id) throws Exception {
        application.camel().getRouteController().startRoute(id);
    }

    Identity identity() {
        return system.identity();
    }

    /** Plain SQL, as the superuser. */
    JdbcTemplate sql() {
        return system.identity().sql();
    }

    private String url() {
        return TestSystem.stack().url(system.database());
    }

    private static EmbeddedKafka kafka() {
        return TestSystem.stack().kafka();
    }

    Admin admin() {
        return Admin.create(Map.of("bootstrap.servers", kafka().brokers()));
    }

    /** @param value null for the default */
    void alterTopic(String topic, String setting, @Nullable String value) throws Exception {
        try (var admin = admin()) {
            admin.incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.TOPIC, topic),
                            List.of(new AlterConfigOp(
                                    new ConfigEntry(setting, value),
                                    value == null ? AlterConfigOp.OpType.DELETE : AlterConfigOp.OpType.SET))))
                    .all()
                    .get();
        }
    }

    void send(String topic, EventRecord<?>... events) throws Exception {
        send(topic, null, events);
    }

    private void send(String topic, @Nullable Integer partition, EventRecord<?>... events) throws Exception {
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of("bootstrap.servers", kafka().brokers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            for (var event : events) {
                producer.send(event.record(topic, partition)).get();
            }
        }
    }

    /** Somebody else's session, which has done this and keeps its transaction open. */
    Connection stranger(String statement) throws SQLException {
        var connection = DriverManager.getConnection(url() + "?ApplicationName=nightly-report", STRANGER, "");
        connection.setAutoCommit(false);
        try (var locking = connection.createStatement()) {
            locking.execute(statement);
        }
        return connection;
    }

    /** Goes through the runbook of locks, and so ends the session that everybody waits for. */
    void endHolder(Connection holder) throws SQLException {
        try (var locks =
                open("locks").with("PID", holder.unwrap(PGConnection.class).getBackendPID())) {
            locks.look();
            locks.repair();
            locks.seeThatItWorked();
        }
    }

    /** What one of our commands prints. */
    String run(String command) {
        return shell().run("java -jar target/access-routes.jar " + command).output();
    }

    private Shell shell() {
        return new Shell(settings, kafka().brokers(), sql(), log);
    }

    /** A runbook, to be followed from its beginning to its end. */
    OpenRunbook open(String name) {
        return new OpenRunbook(Runbook.read(name), shell(), operator)
                .with("localhost:9876", "localhost:" + settings.getProperty("management.port"));
    }

    @Override
    public void close() throws Exception {
        if (application != null) {
            stop();
        }
        ((SingleConnectionDataSource) operator.getDataSource()).destroy();
        log.close();
        system.close();
        var topics = new ArrayList<>(DEAD_LETTER_TOPICS);
        topics.addAll(List.of(ACCESS_TOPIC, USERS_TOPIC));
        try (var admin = admin()) {
            admin.deleteTopics(topics).all().get();
            admin.deleteConsumerGroups(List.of(GROUP, NEWS_GROUP)).all().get();
        } catch (ExecutionException e) {
            // a group that has never handled anything does not exist
        }
    }
}
