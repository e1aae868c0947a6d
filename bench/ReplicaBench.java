package bench;

import app.AccessApplication;
import app.Settings;
import app.db.Databases;
import app.db.Migrations;
import demo.EmbeddedStack;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import javax.sql.DataSource;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import tests.support.UserEvent;

/** Users' events from Kafka to the table: a topic that is full, read from the beginning. */
final class ReplicaBench implements AutoCloseable {

    static final int EVENTS = 200_000;
    private static final int USERS = 150_000;
    private static final String DATABASE = "bench_news";
    private static final String TOPIC = "pin.identity.users.v1";
    private static final String GROUP = "news-identity-users";

    private final EmbeddedStack stack;
    private final JdbcTemplate sql;
    private final DataSource pool;
    private final AccessApplication application;
    private final HandWrittenReplica byHand;

    ReplicaBench(EmbeddedStack stack) throws Exception {
        this.stack = stack;
        try (var connection = stack.superuser("postgres");
                var statement = connection.createStatement()) {
            statement.execute("create database " + DATABASE);
        }
        var properties = stack.newsSettings(DATABASE);
        properties.setProperty("camel.main.auto-startup-exclude-pattern", "author-replica,purge-marks");
        var settings = Settings.load(null, Map.of(), properties);
        new Migrations(settings).run();
        stack.createNewsUser(DATABASE);
        sql = new JdbcTemplate(new SingleConnectionDataSource(stack.superuser(DATABASE), true));
        pool = Databases.pool("by-hand", settings.newsDatabase());
        stack.kafka().createTopic(TOPIC, 6);
        stack.kafka().createTopic(settings.authorReplica().deadLetterTopic(), 6);
        fill();
        application = new AccessApplication(settings).start();
        byHand = new HandWrittenReplica(pool, stack.kafka().brokers(), TOPIC);
    }

    /** Three quarters new users, one quarter newer versions, some of them blocks. */
    private void fill() {
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        stack.kafka().brokers(),
                        ProducerConfig.LINGER_MS_CONFIG,
                        20,
                        ProducerConfig.COMPRESSION_TYPE_CONFIG,
                        "lz4"),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            var users = new ArrayList<UUID>(USERS);
            for (int i = 0; i < EVENTS; i++) {
                UserEvent event;
                if (i < USERS) {
                    users.add(UUID.randomUUID());
                    event = UserEvent.upserted(users.get(i), 1, "First" + i, "Last" + i);
                } else {
                    var user = users.get((i * 7) % USERS);
                    event = i % 10 == 0 ? UserEvent.blocked(user, i) : UserEvent.upserted(user, i);
                }
                producer.send(event.record(TOPIC, null));
            }
        }
    }

    /** Nothing is consumed, and nothing stored. */
    void clear() throws Exception {
        if (application
                .camel()
                .getRouteController()
                .getRouteStatus("author-replica")
                .isStarted()) {
            application.camel().getRouteController().stopRoute("author-replica");
        }
        sql.execute("truncate news.author_replicas, news.processed_messages");
        sql.execute("checkpoint");
        try (var admin = Admin.create(
                Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, stack.kafka().brokers()))) {
            if (admin.listConsumerGroups().all().get().stream()
                    .anyMatch(group -> group.groupId().equals(GROUP))) {
                admin.deleteConsumerGroups(List.of(GROUP)).all().get();
            }
        }
    }

    void ours() throws Exception {
        long before = handled();
        application.camel().getRouteController().startRoute("author-replica");
        long deadline = System.nanoTime() + Duration.ofMinutes(5).toNanos();
        while (handled() - before < EVENTS) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("only " + (handled() - before) + " events are handled");
            }
            java.util.concurrent.locks.LockSupport.parkNanos(2_000_000);
        }
        check();
    }

    void byHand() throws Exception {
        byHand.run(EVENTS);
        check();
    }

    private void check() {
        long marks = sql.queryForObject("select count(*) from news.processed_messages", Long.class);
        if (marks != EVENTS) {
            throw new IllegalStateException(marks + " marks for " + EVENTS + " events");
        }
    }

    private long handled() {
        return application
                .camel()
                .getRegistry()
                .findSingleByType(MeterRegistry.class)
                .get("news_replica_consume_duration_ms")
                .summary()
                .count();
    }

    @Override
    public void close() throws SQLException {
        application.close();
        sql.getDataSource().getConnection().close();
    }
}
