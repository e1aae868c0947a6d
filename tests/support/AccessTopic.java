package tests.support;

import static java.util.stream.Collectors.toMap;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListOffsetsOptions;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.IsolationLevel;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** The topic of access events as a consumer of another team sees it: committed records only, from the beginning. */
public final class AccessTopic implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String brokers;
    private final String name;

    AccessTopic(String brokers, String name) {
        this.brokers = brokers;
        this.name = name;
    }

    public String name() {
        return name;
    }

    public void create(int partitions) throws Exception {
        create(partitions, Map.of());
    }

    public void create(int partitions, Map<String, String> settings) throws Exception {
        try (var admin = admin()) {
            admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1).configs(settings)))
                    .all()
                    .get();
        }
    }

    public void delete() throws Exception {
        try (var admin = admin()) {
            admin.deleteTopics(List.of(name)).all().get();
        }
    }

    /** All records that a consumer can see now. What was committed a moment ago may not be among them. */
    public List<AccessRecord> committed() {
        return records(0);
    }

    /** All records, when no transaction is open any more: Kafka shows what it has committed only a little later. */
    public List<AccessRecord> settled() {
        try (var admin = admin()) {
            await().atMost(PATIENCE)
                    .until(() -> ends(admin, IsolationLevel.READ_COMMITTED)
                            .equals(ends(admin, IsolationLevel.READ_UNCOMMITTED)));
        }
        return committed();
    }

    private Map<TopicPartition, Long> ends(Admin admin, IsolationLevel isolation) throws Exception {
        var partitions = admin.describeTopics(List.of(name)).topicNameValues().get(name).get().partitions().stream()
                .collect(toMap(p -> new TopicPartition(name, p.partition()), p -> OffsetSpec.latest()));
        return admin.listOffsets(partitions, new ListOffsetsOptions(isolation)).all().get().entrySet().stream()
                .collect(toMap(Map.Entry::getKey, end -> end.getValue().offset()));
    }

    /**
     * All records of the topic, in the order of each partition, as soon as there are at least so many; fails if they do
     * not come within a minute.
     */
    public List<AccessRecord> records(int atLeast) {
        var records = new ArrayList<AccessRecord>();
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        try (var consumer = consumer()) {
            while (records.size() < atLeast) {
                if (System.nanoTime() > deadline) {
                    throw new AssertionError(records.size() + " of " + atLeast + " records came to " + name);
                }
                for (var record : consumer.poll(Duration.ofMillis(50))) {
                    records.add(new AccessRecord(record));
                }
            }
            // What else is committed already: too many records are as wrong as too few.
            var ends = consumer.endOffsets(consumer.assignment());
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                for (var record : consumer.poll(Duration.ofMillis(50))) {
                    records.add(new AccessRecord(record));
                }
            }
        }
        return records;
    }

    /** Reads on from where the topic ends now. */
    public Tail tail() {
        var consumer = consumer();
        consumer.seekToEnd(consumer.assignment());
        consumer.assignment().forEach(consumer::position);
        return new Tail(consumer, name);
    }

    /** How many records each user has. */
    public static Map<UUID, Integer> countByUser(List<AccessRecord> records) {
        var counts = new HashMap<UUID, Integer>();
        records.forEach(record -> counts.merge(record.user(), 1, Integer::sum));
        return counts;
    }

    private KafkaConsumer<byte[], byte[]> consumer() {
        var consumer = new KafkaConsumer<>(
                Map.<String, Object>of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, brokers,
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed",
                        ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "5000"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        var partitions = IntStream.range(0, consumer.partitionsFor(name).size())
                .mapToObj(partition -> new TopicPartition(name, partition))
                .toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        return consumer;
    }

    private Admin admin() {
        return Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, brokers));
    }

    @Override
    public void close() throws InterruptedException {
        try (var admin = admin()) {
            admin.deleteTopics(List.of(name)).all().get();
        } catch (ExecutionException e) {
            // the test deleted it, or never had it
        }
    }

    /** A reader that stays: every record is read once, in the order of each partition. */
    public static final class Tail implements AutoCloseable {

        private final KafkaConsumer<byte[], byte[]> consumer;
        private final String name;
        private final List<AccessRecord> unread = new ArrayList<>();

        private Tail(KafkaConsumer<byte[], byte[]> consumer, String name) {
            this.consumer = consumer;
            this.name = name;
        }

        /** The next records, as soon as there are so many; fails if they do not come within a minute. */
        public List<AccessRecord> next(int count) {
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (unread.size() < count) {
                if (System.nanoTime() > deadline) {
                    throw new AssertionError(unread.size() + " of " + count + " records came to " + name);
                }
                poll(Duration.ofMillis(50));
            }
            var next = List.copyOf(unread.subList(0, count));
            unread.subList(0, count).clear();
            return next;
        }

        /** What else is committed now. */
        public List<AccessRecord> rest() {
            var ends = consumer.endOffsets(consumer.assignment());
            while (ends.entrySet().stream().anyMatch(end -> consumer.position(end.getKey()) < end.getValue())) {
                poll(Duration.ofMillis(50));
            }
            return next(unread.size());
        }

        private void poll(Duration wait) {
            consumer.poll(wait).forEach(record -> unread.add(new AccessRecord(record)));
        }

        @Override
        public void close() {
            consumer.close();
        }
    }

    /** One record. */
    public static final class AccessRecord {

        private final ConsumerRecord<byte[], byte[]> record;

        AccessRecord(ConsumerRecord<byte[], byte[]> record) {
            this.record = record;
        }

        public ConsumerRecord<byte[], byte[]> raw() {
            return record;
        }

        public String key() {
            return new String(record.key(), StandardCharsets.UTF_8);
        }

        public UUID user() {
            return UUID.fromString(key());
        }

        public String header(String header) {
            var found = record.headers().lastHeader(header);
            if (found == null) {
                throw new AssertionError("no header " + header + " in " + record.headers());
            }
            return new String(found.value(), StandardCharsets.UTF_8);
        }

        public Map<String, String> headers() {
            var headers = new HashMap<String, String>();
            record.headers().forEach(h -> headers.put(h.key(), new String(h.value(), StandardCharsets.UTF_8)));
            return headers;
        }

        public AccessEvent event() {
            return AccessEvent.parse(record.value());
        }
    }
}
