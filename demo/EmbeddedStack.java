package demo;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/** A real PostgreSQL and a real Kafka on free ports, started side by side. */
public final class EmbeddedStack implements AutoCloseable {

    public static final String TOPIC = "pin.identity.access.v1";
    /** The user under which the routes run: no rights but those of the shipped group roles (OPS-06). */
    public static final String RUN_USER = "identity_access";

    /** The same for the news routes. */
    public static final String NEWS_USER = "news_author_replica";

    /** The same for the access cache. */
    public static final String ACCESS_CACHE_USER = "access_cache_consumer";

    private final EmbeddedPostgres postgres;
    private final EmbeddedKafka kafka;
    private final AtomicBoolean closed = new AtomicBoolean();

    private EmbeddedStack(EmbeddedPostgres postgres, EmbeddedKafka kafka) {
        this.postgres = postgres;
        this.kafka = kafka;
    }

    /** Both servers, with an empty database and without topics. */
    public static EmbeddedStack start() throws Exception {
        var kafka = CompletableFuture.supplyAsync(() -> {
            try {
                return EmbeddedKafka.start();
            } catch (Exception e) {
                throw new IllegalStateException("Kafka does not start: " + e.getMessage(), e);
            }
        });
        var postgres = EmbeddedPostgres.builder()
                // The embedded server comes with durability switched off: what it has committed would not outlive a
                // crash.
                .setServerConfig("fsync", "on")
                .setServerConfig("synchronous_commit", "on")
                .setServerConfig("full_page_writes", "on")
                .setServerConfig("max_connections", "200")
                .setServerConfig("shared_buffers", "256MB")
                .setServerConfig("max_wal_size", "2GB")
                .start();
        return new EmbeddedStack(postgres, kafka.join());
    }

    public EmbeddedPostgres postgres() {
        return postgres;
    }

    public EmbeddedKafka kafka() {
        return kafka;
    }

    public String url(String database) {
        return "jdbc:postgresql://localhost:" + postgres.getPort() + "/" + database;
    }

    /** A connection of the server's superuser. */
    public Connection superuser(String database) throws SQLException {
        return DriverManager.getConnection(url(database), "postgres", "");
    }

    /** Creates the login user of the routes, if it is missing, with the shipped group roles, which must exist. */
    public void createRunUser(String database) throws SQLException {
        createUser(
                database,
                RUN_USER,
                "identity_access_worker, identity_access_relay, identity_access_editor, identity_access_assigner");
    }

    /** The same for the news routes. */
    public void createNewsUser(String database) throws SQLException {
        createUser(database, NEWS_USER, "news_replica");
    }

    /** The same for the access cache. */
    public void createAccessCacheUser(String database) throws SQLException {
        createUser(database, ACCESS_CACHE_USER, "access_cache_writer");
    }

    private void createUser(String database, String user, String roles) throws SQLException {
        try (var connection = superuser(database);
                var statement = connection.createStatement()) {
            statement.execute(
                    "do $$ begin create user " + user + "; exception when duplicate_object then null; end $$");
            statement.execute("grant " + roles + " to " + user);
        }
    }

    /** What the news routes need to run on this stack, alone. */
    public Properties newsSettings(String database) {
        var settings = settings(database);
        settings.putAll(Map.of(
                "identity.enabled",
                "false",
                "news.enabled",
                "true",
                "news.db.url",
                url(database),
                "news.db.user",
                NEWS_USER));
        return settings;
    }

    /** What the access cache needs to run on this stack, alone, for a service called gateway. */
    public Properties accessCacheSettings(String database) {
        var settings = withAccessCache(settings(database), database);
        settings.setProperty("identity.enabled", "false");
        return settings;
    }

    /** The same settings, and the access cache beside what they enable. */
    public Properties withAccessCache(Properties settings, String database) {
        settings.putAll(Map.of(
                "access-cache.enabled",
                "true",
                "access-cache.group",
                "gateway",
                "access-cache.db.url",
                url(database),
                "access-cache.db.user",
                ACCESS_CACHE_USER));
        return settings;
    }

    /** What the routes need to run on this stack: to be given with -D, or as system properties. */
    public Properties settings(String database) {
        var settings = new Properties();
        settings.putAll(Map.of(
                "identity.db.url",
                url(database),
                "identity.db.user",
                RUN_USER,
                "db.migration.user",
                "postgres",
                "kafka.brokers",
                kafka.brokers(),
                "management.port",
                "0"));
        return settings;
    }

    /** Stops both servers and deletes what they wrote; a second time does nothing. */
    @Override
    public void close() throws IOException {
        if (closed.compareAndSet(false, true)) {
            try (postgres) {
                kafka.close();
            }
        }
    }
}
