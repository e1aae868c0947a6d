package tests.security;

import static org.awaitility.Awaitility.await;

import app.AccessApplication;
import app.Settings;
import app.db.Migrations;
import demo.EmbeddedKafka;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.GeneralSecurityException;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.ScramCredentialInfo;
import org.apache.kafka.clients.admin.ScramMechanism;
import org.apache.kafka.clients.admin.UserScramCredentialUpsertion;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import tests.security.Manifests.Right;
import tests.support.Instances;
import tests.support.ManagementPort;
import tests.support.TestSystem;

/**
 * The whole system on servers that let nobody in unknown: a broker with the topics and rights of the manifests, for clients
 * with a certificate (SSL) or a password (SASL_SSL), and one database with all schemas that takes passwords over TLS only.
 */
final class SecuredSystem implements BeforeAllCallback, AfterEachCallback, AfterAllCallback {

    /** Every password begins with it, and nothing else does. */
    static final String SECRET = "swordfish";

    private final Authority authority = new Authority("ours");
    private final Instances instances = new Instances();
    private final Map<String, Authority.Signed> certificates = new HashMap<>();
    private @Nullable Path folder;
    private @Nullable EmbeddedKafka kafka;
    private @Nullable Admin admin;
    private @Nullable JdbcTemplate sql;
    private String database = "";
    private String accessFile = "";

    @Override
    public void beforeAll(ExtensionContext context) throws Exception {
        folder = Files.createTempDirectory("access-routes-security");
        database = "secured_" + ProcessHandle.current().pid() + "_" + System.nanoTime();
        startKafka();
        securePostgres();
        new Migrations(settings("identity,news,access-cache", "db.migration.user", "postgres")).run();
        createLogins();
    }

    private void startKafka() throws Exception {
        var server = authority.sign("broker");
        kafka = EmbeddedKafka.start(
                Map.ofEntries(
                        Map.entry("authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer"),
                        // The broker itself, and the test as its operator, on the listener that nobody else sees.
                        Map.entry("super.users", "User:ANONYMOUS"),
                        Map.entry("ssl.keystore.type", "PKCS12"),
                        Map.entry(
                                "ssl.keystore.location",
                                server.store(folder.resolve("broker.p12"), SECRET)
                                        .toString()),
                        Map.entry("ssl.keystore.password", SECRET),
                        Map.entry("ssl.truststore.type", "PKCS12"),
                        Map.entry("ssl.truststore.location", trustStore().toString()),
                        Map.entry("ssl.truststore.password", SECRET),
                        Map.entry("listener.name.ssl.ssl.client.auth", "required"),
                        Map.entry("sasl.enabled.mechanisms", "SCRAM-SHA-512"),
                        Map.entry(
                                "listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config",
                                "org.apache.kafka.common.security.scram.ScramLoginModule required;")),
                "SSL",
                "SASL_SSL");
        admin = Admin.create(operator());
        admin.createTopics(Manifests.topics().stream()
                        .map(topic -> new NewTopic(topic.name(), topic.partitions(), (short) 1)
                                .configs(onOneBroker(topic.settings())))
                        .toList())
                .all()
                .get();
        for (var user : Manifests.users().entrySet()) {
            setPassword(user.getKey(), SECRET + "-" + user.getKey());
            grant(user.getKey(), user.getValue().toArray(Right[]::new));
        }
    }

    private static Map<String, String> onOneBroker(Map<String, String> settings) {
        var changed = new HashMap<>(settings);
        changed.put("min.insync.replicas", "1");
        return changed;
    }

    private void securePostgres() throws Exception {
        var server = authority.sign("postgres");
        var key = Files.createFile(
                folder.resolve("server.key"),
                PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
        Files.writeString(key, server.keyPem());
        var certificate = Files.writeString(folder.resolve("server.crt"), server.certificatePem());
        TestSystem.createDatabase(database, "template0");
        sql = new JdbcTemplate(new SingleConnectionDataSource(plainUrl(), "postgres", "", true));
        sql.execute("do $$ begin create role secured nologin; exception when duplicate_object then null; end $$");
        var file = accessFile();
        accessFile = Files.readString(file);
        Files.writeString(
                file, "hostssl all +secured all scram-sha-256\nhostnossl all +secured all reject\n" + accessFile);
        sql.execute("alter system set ssl_cert_file = '" + certificate + "'");
        sql.execute("alter system set ssl_key_file = '" + key + "'");
        sql.execute("alter system set ssl = on");
        reload("on");
    }

    private Path accessFile() {
        return Path.of(sql.queryForObject("show hba_file", String.class));
    }

    private void reload(String ssl) {
        sql.execute("select pg_reload_conf()");
        await().until(() -> sql.queryForObject("show ssl", String.class).equals(ssl));
    }

    private void createLogins() {
        Map.of(
                        "secured_identity",
                        "identity_access_worker, identity_access_relay, identity_access_editor,"
                                + " identity_access_assigner",
                        "secured_news",
                        "news_replica",
                        "secured_cache",
                        "access_cache_writer")
                .forEach((login, roles) -> sql.execute(
                        "create user " + login + " password '" + SECRET + "-" + login + "' in role secured, " + roles));
    }

    /** The database as its operator sees it. */
    JdbcTemplate sql() {
        return sql;
    }

    /** Kafka as its operator sees it. */
    Admin admin() {
        return admin;
    }

    /** A client of Kafka that may do anything. */
    Map<String, Object> operator() {
        return Map.of("bootstrap.servers", kafka.brokers());
    }

    void setPassword(String user, String password) throws InterruptedException, ExecutionException {
        admin.alterUserScramCredentials(List.of(new UserScramCredentialUpsertion(
                        user, new ScramCredentialInfo(ScramMechanism.SCRAM_SHA_512, 4096), password)))
                .all()
                .get();
    }

    /** Gives rights to a user, whether it comes with a certificate or with a password. */
    void grant(String user, Right... rights) throws InterruptedException, ExecutionException {
        for (var principal : List.of("User:CN=" + user, "User:" + user)) {
            admin.createAcls(List.of(rights).stream()
                            .map(right -> right.of(principal))
                            .toList())
                    .all()
                    .get();
        }
    }

    Authority authority() {
        return authority;
    }

    Path folder() {
        return folder;
    }

    private Path trustStore() throws IOException, GeneralSecurityException {
        var file = folder.resolve("trust.p12");
        return Files.exists(file) ? file : authority.trustStore(file, SECRET);
    }

    /** The settings with which a user talks to Kafka. */
    Map<String, String> kafka(String protocol, String user) throws IOException, GeneralSecurityException {
        var settings = new HashMap<>(Map.of(
                "kafka.brokers",
                kafka.brokers(protocol),
                "kafka.security-protocol",
                protocol,
                "kafka.ssl-truststore-location",
                trustStore().toString(),
                "kafka.ssl-truststore-password",
                SECRET,
                "kafka.ssl-truststore-type",
                "PKCS12"));
        if (protocol.equals("SSL")) {
            settings.put(
                    "kafka.ssl-keystore-location",
                    certificates
                            .computeIfAbsent(user, authority::sign)
                            .store(folder.resolve(user + ".p12"), SECRET + "-" + user)
                            .toString());
            settings.put("kafka.ssl-keystore-password", SECRET + "-" + user);
            settings.put("kafka.ssl-keystore-type", "PKCS12");
        } else {
            settings.put("kafka.sasl-mechanism", "SCRAM-SHA-512");
            settings.put("kafka.sasl-jaas-config", login(user, SECRET + "-" + user));
        }
        return settings;
    }

    static String login(String user, String password) {
        return "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"" + user + "\" password=\""
                + password + "\";";
    }

    /** The same, by the names that Kafka's clients know. */
    Map<String, Object> client(String protocol, String user) throws IOException, GeneralSecurityException {
        var system = new Properties();
        system.putAll(kafka(protocol, user));
        var client = new HashMap<String, Object>(
                Settings.load(null, Map.of(), system).kafkaClient());
        client.put("bootstrap.servers", kafka.brokers(protocol));
        return client;
    }

    /** The database, for those whom it lets in without TLS. */
    String plainUrl() {
        return TestSystem.stack().url(database);
    }

    String url() throws IOException, GeneralSecurityException {
        var trust = folder.resolve("authority.crt");
        if (!Files.exists(trust)) {
            authority.trustPem(trust);
        }
        return plainUrl() + "?sslmode=verify-full&sslrootcert=" + trust;
    }

    /**
     * The settings of a process that runs some contexts.
     *
     * @param contexts separated by commas: identity, news, access-cache
     * @param overrides in pairs of name and value
     */
    Properties properties(String contexts, String... overrides) throws IOException, GeneralSecurityException {
        var settings = new Properties();
        for (var context : List.of("identity", "news", "access-cache")) {
            settings.setProperty(
                    context + ".enabled",
                    Boolean.toString(List.of(contexts.split(",")).contains(context)));
            var login = "secured_" + context.replace("access-", "");
            settings.setProperty(context + ".db.url", url());
            settings.setProperty(context + ".db.user", login);
            settings.setProperty(context + ".db.password", SECRET + "-" + login);
        }
        settings.setProperty("access-cache.group", "gateway");
        settings.setProperty(
                "management.port", Integer.toString(ManagementPort.free().number()));
        settings.setProperty("identity.watermark-topic", "pin.identity.access.watermarks");
        settings.setProperty("access-cache.watermark-topic", "pin.identity.access.watermarks");
        for (int i = 0; i < overrides.length; i += 2) {
            settings.setProperty(overrides[i], overrides[i + 1]);
        }
        return settings;
    }

    Settings settings(String contexts, String... overrides) throws IOException, GeneralSecurityException {
        return Settings.load(null, Map.of(), properties(contexts, overrides));
    }

    /** An instance; it is stopped after the test. */
    AccessApplication start(Properties properties) {
        return instances.start(properties);
    }

    static void awaitReady(Properties properties) {
        await().untilAsserted(() -> {
            var answer = ManagementPort.of(properties).readiness();
            if (answer.statusCode() != 200) {
                throw new AssertionError(answer.body());
            }
        });
    }

    @Override
    public void afterEach(ExtensionContext context) {
        instances.close();
    }

    @Override
    public void afterAll(ExtensionContext context) throws Exception {
        for (var setting : List.of("ssl", "ssl_cert_file", "ssl_key_file")) {
            sql.execute("alter system reset " + setting);
        }
        Files.writeString(accessFile(), accessFile);
        reload("off");
        ((SingleConnectionDataSource) sql.getDataSource()).destroy();
        try (var connection = TestSystem.stack().superuser("postgres");
                var statement = connection.createStatement()) {
            statement.execute("drop database " + database + " with (force)");
            for (var login : List.of("secured_identity", "secured_news", "secured_cache")) {
                statement.execute("drop user if exists " + login);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        admin.close();
        kafka.close();
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }
}
