package tests.support;

import static org.awaitility.Awaitility.await;

import app.AccessApplication;
import app.Settings;
import app.db.Migrations;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/**
 * A consumer for one test, on the servers of {@link TestSystem}: a database of its own, its topic, its dead-letter topic, and
 * as many instances as the test starts.
 */
public abstract class ConsumerSystem implements BeforeEachCallback, AfterEachCallback {

    private static final AtomicInteger NUMBER = new AtomicInteger();
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Set<String> TEMPLATES = new HashSet<>();

    private final String kind;
    private final int partitions;
    private final Instances instances = new Instances();
    private String name = "";
    private @Nullable JdbcTemplate sql;
    private @Nullable KafkaProducer<byte[], byte[]> producer;

    /**
     * @param kind the beginning of every name
     * @param partitions of the topic and of the dead-letter topic
     */
    ConsumerSystem(String kind, int partitions) {
        this.kind = kind;
        this.partitions = partitions;
    }

    /** The settings with which a database of this name is migrated. */
    public abstract Properties migration(String database);

    /** Creates the user that {@code run} logs in as, and gives it its role in this database. */
    abstract void createUser(String database) throws SQLException;

    /** The settings of this system's topics and group. */
    abstract Map<String, String> topics();

    @Override
    public void beforeEach(ExtensionContext context) throws Exception {
        var template = template(this);
        name = kind.charAt(0) + Long.toString(ProcessHandle.current().pid()) + "_" + NUMBER.incrementAndGet();
        TestSystem.createDatabase(name, template);
        sql = new JdbcTemplate(new SingleConnectionDataSource(TestSystem.stack().url(name), "postgres", "", true));
        try (var admin = admin()) {
            admin.createTopics(List.of(
                            new NewTopic(topic(), partitions, (short) 1),
                            new NewTopic(deadLetterTopic(), partitions, (short) 1)
                                    .configs(Map.of("max.message.bytes", "1050000"))))
                    .all()
                    .get();
        }
        awaitLeaders();
        producer = new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        brokers(),
                        ProducerConfig.LINGER_MS_CONFIG,
                        "5",
                        ProducerConfig.MAX_REQUEST_SIZE_CONFIG,
                        "20000000",
                        // A new partition may refuse the first batch and take the second: it would never take the
                        // first.
                        ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
                        "1"),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    private void awaitLeaders() {
        await().atMost(PATIENCE).ignoreExceptions().until(() -> {
            try (var consumer = consumer()) {
                return consumer.endOffsets(partitions(topic())).size() == partitions
                        && consumer.endOffsets(partitions(deadLetterTopic())).size() == partitions;
            }
        });
    }

    private static synchronized String template(ConsumerSystem system) throws Exception {
        var template = "template_" + system.kind;
        if (TEMPLATES.add(template)) {
            TestSystem.createDatabase(template, "template0");
            new Migrations(Settings.load(null, Map.of(), system.migration(template))).run();
            system.createUser(template);
        }
        return template;
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        instances.close();
        producer.close(Duration.ZERO);
        ((SingleConnectionDataSource) sql.getDataSource()).destroy();
        try (var admin = admin()) {
            admin.deleteTopics(List.of(topic(), deadLetterTopic())).all().get();
        } catch (ExecutionException e) {
            // the test deleted one, or never had it
        }
        try (var connection = TestSystem.stack().superuser("postgres");
                var statement = connection.createStatement()) {
            statement.execute("drop database " + name + " with (force)");
        }
    }

    public String topic() {
        return kind + "." + name;
    }

    public String deadLetterTopic() {
        return topic() + ".dlq";
    }

    public String group() {
        return kind + "-" + name;
    }

    public String database() {
        return name;
    }

    public String brokers() {
        return TestSystem.stack().kafka().brokers();
    }

    /** Plain SQL, as the superuser. */
    public JdbcTemplate sql() {
        return sql;
    }

    /** The settings of this system's instances, with some of them given in pairs of name and value. */
    public Properties settings(String... overrides) {
        var settings = migration(name);
        topics().forEach(settings::setProperty);
        return Instances.settings(settings, overrides);
    }

    /** An instance in this JVM; it is stopped after the test. */
    public AccessApplication start(String... overrides) {
        return instances.start(settings(overrides));
    }

    /** An instance as a process of its own; it is killed after the test. */
    public WorkerProcess startProcess(String... overrides) throws IOException {
        return startProcess(null, null, overrides);
    }

    /**
     * @param jvm options of its JVM; null for the usual ones
     * @param overlay a folder whose files stand in front of those of the application; null for none
     */
    public WorkerProcess startProcess(@Nullable List<String> jvm, @Nullable Path overlay, String... overrides)
            throws IOException {
        return instances.startProcess(name, settings(overrides), jvm, overlay);
    }

    /** A command as an operator runs it, with this system's settings. */
    public Command run(String... arguments) {
        return Command.run(settings(), arguments);
    }

    /** Sends the events in their order, and returns when Kafka has them. */
    public void send(EventRecord<?>... events) {
        send(Arrays.asList(events));
    }

    public void send(List<? extends EventRecord<?>> events) {
        send(events, null);
    }

    /** @param partition null for Kafka's choice by the key */
    public void send(List<? extends EventRecord<?>> events, @Nullable Integer partition) {
        var sent = new ArrayList<Future<RecordMetadata>>();
        for (var event : events) {
            sent.add(producer.send(event.record(topic(), partition)));
        }
        producer.flush();
        try {
            for (var one : sent) {
                one.get();
            }
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns when the group has committed everything that is in the topic now. */
    public void awaitHandled() {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> lag() == 0);
    }

    /** Records that the group has not committed. */
    public long lag() {
        try (var admin = admin();
                var consumer = consumer()) {
            var all = partitions(topic());
            var committed = admin.listConsumerGroupOffsets(group())
                    .partitionsToOffsetAndMetadata()
                    .get();
            var begin = consumer.beginningOffsets(all);
            return consumer.endOffsets(all).entrySet().stream()
                    .mapToLong(end -> end.getValue()
                            - (committed.get(end.getKey()) == null
                                    ? begin.get(end.getKey())
                                    : committed.get(end.getKey()).offset()))
                    .sum();
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
    }

    /** The committed offset of each partition. */
    public Map<Integer, Long> committed() {
        var offsets = new HashMap<Integer, Long>();
        try (var admin = admin()) {
            admin.listConsumerGroupOffsets(group())
                    .partitionsToOffsetAndMetadata()
                    .get()
                    .forEach((partition, offset) -> offsets.put(partition.partition(), offset.offset()));
        } catch (InterruptedException | ExecutionException e) {
            throw new IllegalStateException(e);
        }
        return offsets;
    }

    /** How many records each topic has had, the topics of Kafka itself left out. */
    public Map<String, Long> ends() {
        try (var consumer = consumer()) {
            var all = consumer.listTopics().values().stream()
                    .flatMap(List::stream)
                    .filter(partition -> !partition.topic().startsWith("__"))
                    .map(partition -> new TopicPartition(partition.topic(), partition.partition()))
                    .toList();
            var ends = new HashMap<String, Long>();
            consumer.endOffsets(all).forEach((partition, end) -> ends.merge(partition.topic(), end, Long::sum));
            return ends;
        }
    }

    /** Every dead letter that there is now. */
    public List<ConsumerRecord<byte[], byte[]>> deadLetters() {
        var records = new ArrayList<ConsumerRecord<byte[], byte[]>>();
        try (var consumer = consumer()) {
            var all = partitions(deadLetterTopic());
            consumer.assign(all);
            consumer.seekToBeginning(all);
            var ends = consumer.endOffsets(all);
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                consumer.poll(Duration.ofMillis(50)).forEach(records::add);
            }
        }
        return records;
    }

    public static String text(ConsumerRecord<byte[], byte[]> record, String header) {
        return new String(record.headers().lastHeader(header).value(), StandardCharsets.UTF_8);
    }

    public Admin admin() {
        return Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, brokers()));
    }

    private KafkaConsumer<byte[], byte[]> consumer() {
        return new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        brokers(),
                        ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG,
                        "20000000"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }

    private List<TopicPartition> partitions(String topic) {
        return IntStream.range(0, partitions)
                .mapToObj(partition -> new TopicPartition(topic, partition))
                .toList();
    }
}
