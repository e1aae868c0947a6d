package tests.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;

/**
 * Copies what is committed to a topic of another name, with everything but the header VersionSource: a producer of another
 * team that does not know it.
 */
final class Forwarder implements AutoCloseable {

    private final String source;
    private final String target;
    private final KafkaConsumer<byte[], byte[]> consumer;
    private final KafkaProducer<byte[], byte[]> producer;
    /** By partition of the source, the next offset. */
    private final Map<Integer, Long> next = new ConcurrentHashMap<>();

    private final Thread thread = new Thread(this::run, "forwarder");
    private volatile boolean closing;
    private volatile @Nullable Exception failure;

    Forwarder(String brokers, String source, String target) {
        this.source = source;
        this.target = target;
        consumer = new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        brokers,
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                        "read_committed"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        producer = new KafkaProducer<>(
                Map.of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        brokers,
                        ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION,
                        "1"),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    Forwarder start() {
        thread.start();
        return this;
    }

    /** Whether everything before these offsets of the source is in the target. */
    boolean hasCopied(Map<Integer, Long> ends) {
        return ends.entrySet().stream().allMatch(end -> next.getOrDefault(end.getKey(), 0L) >= end.getValue());
    }

    /** Why nothing more is copied; null while it is. */
    @Nullable
    Exception failure() {
        return failure;
    }

    private void run() {
        try (consumer;
                producer) {
            var partitions = IntStream.range(0, consumer.partitionsFor(source).size())
                    .mapToObj(partition -> new TopicPartition(source, partition))
                    .toList();
            consumer.assign(partitions);
            consumer.seekToBeginning(partitions);
            while (!closing) {
                copy();
            }
        } catch (KafkaException | ExecutionException | InterruptedException e) {
            failure = e;
        }
    }

    private void copy() throws ExecutionException, InterruptedException {
        var records = consumer.poll(Duration.ofMillis(100));
        var sent = new ArrayList<Future<RecordMetadata>>();
        for (var record : records) {
            var headers = record.headers();
            headers.remove("VersionSource");
            sent.add(producer.send(new ProducerRecord<>(
                    target, record.partition(), record.timestamp(), record.key(), record.value(), headers)));
        }
        for (var one : sent) {
            one.get();
        }
        for (var record : records) {
            next.put(record.partition(), record.offset() + 1);
        }
    }

    @Override
    public void close() throws InterruptedException {
        closing = true;
        thread.join(5_000); // Kafka may be away; the thread ends by itself
    }
}
