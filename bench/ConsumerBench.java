package bench;

import app.AccessApplication;
import app.Settings;
import app.db.Databases;
import app.db.Migrations;
import demo.EmbeddedStack;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.apache.camel.ServiceStatus;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import tests.support.EventRecord;

/** A consumer and the loop beside it: a topic that is full, read from the beginning. */
abstract class ConsumerBench implements AutoCloseable {

    static final int EVENTS = 200_000;
    static final int USERS = 150_000;
    static final int PARTITIONS = 6;

    private final EmbeddedStack stack;
    private final String route;
    private final Settings.Consumer consumer;
    private final AccessApplication application;
    private final HandWrittenConsumer byHand;
    private final SingleConnectionDataSource owner;

    /** @param route the consumer, whose topic is filled and whose database is made */
    ConsumerBench(EmbeddedStack stack, String database, String route) throws Exception {
        this.stack = stack;
        this.route = route;
        try (var connection = stack.superuser("postgres");
                var statement = connection.createStatement()) {
            statement.execute("create database " + database);
        }
        var properties = settings(stack, database);
        properties.setProperty("camel.main.auto-startup-exclude-pattern", route + ",purge-marks");
        var settings = Settings.load(null, Map.of(), properties);
        new Migrations(settings).run();
        createUser(stack, database);
        owner = new SingleConnectionDataSource(stack.superuser(database), true);
        consumer = consumer(settings);
        for (var topic : List.of(consumer.topic(), consumer.deadLetterTopic())) {
            stack.kafka().createTopic(topic, PARTITIONS);
        }
        fill();
        byHand = byHand(
                Databases.pool("by-hand", database(settings)), stack.kafka().brokers(), consumer.topic());
        application = new AccessApplication(settings).start();
    }

    abstract Properties settings(EmbeddedStack stack, String database);

    abstract void createUser(EmbeddedStack stack, String database) throws SQLException;

    abstract Settings.Consumer consumer(Settings settings);

    abstract Settings.Database database(Settings settings);

    abstract HandWrittenConsumer byHand(DataSource database, String brokers, String topic);

    /** The n-th of {@link #EVENTS} events; the first {@link #USERS} are of as many users, the others newer ones of theirs. */
    abstract EventRecord<?> event(int n);

    /** The tables that the consumer writes, with commas. */
    abstract String tables();

    /** The histogram that counts the handled records. */
    abstract String handledMetric();

    /** @throws IllegalStateException if what is stored is not what the events say */
    abstract void check(JdbcTemplate sql);

    /** Of the n-th event; the same users in every benchmark. */
    static UUID user(int n) {
        int user = n < USERS ? n : (int) (n * 7L % USERS);
        return UUID.nameUUIDFromBytes(Integer.toString(user).getBytes(StandardCharsets.UTF_8));
    }

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
            for (int n = 0; n < EVENTS; n++) {
                producer.send(event(n).record(consumer.topic(), null));
            }
        }
    }

    /** Nothing is consumed, and nothing stored. */
    final void clear() throws Exception {
        var routes = application.camel().getRouteController();
        if (routes.getRouteStatus(route) == ServiceStatus.Started) {
            routes.stopRoute(route);
        }
        var sql = new JdbcTemplate(owner);
        sql.execute("truncate " + tables());
        sql.execute("checkpoint");
        try (var admin = Admin.create(
                Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, stack.kafka().brokers()))) {
            if (admin.listConsumerGroups().all().get().stream()
                    .anyMatch(group -> group.groupId().equals(consumer.group()))) {
                admin.deleteConsumerGroups(List.of(consumer.group())).all().get();
            }
        }
    }

    final void ours() throws Exception {
        long before = handled();
        application.camel().getRouteController().startRoute(route);
        long deadline = System.nanoTime() + Duration.ofMinutes(5).toNanos();
        while (handled() - before < EVENTS) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("only " + (handled() - before) + " events are handled");
            }
            LockSupport.parkNanos(2_000_000);
        }
        check(new JdbcTemplate(owner));
    }

    final void byHand() throws Exception {
        byHand.run(EVENTS);
        check(new JdbcTemplate(owner));
    }

    private long handled() {
        return application
                .camel()
                .getRegistry()
                .findSingleByType(MeterRegistry.class)
                .get(handledMetric())
                .summary()
                .count();
    }

    @Override
    public final void close() {
        application.close();
        owner.destroy();
    }
}
