package app.kafka;

import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.TimeoutException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import processors.consuming.Reach;

/**
 * How far a group has got in its topic. That is more than what the group has committed: behind the last record a topic holds
 * the marks of transactions, which nobody receives and nobody commits. The one way to tell them from records is to read on
 * from where the group is; it is done without joining the group, so that nobody notices.
 */
public final class GroupReach implements AutoCloseable {

    private static final Duration POLL = Duration.ofMillis(50);
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private final String topic;
    private final Map<String, Object> properties;
    private @Nullable KafkaConsumer<byte[], byte[]> consumer;

    /** @param clientSettings security and other settings that every client of Kafka takes, by their Kafka names */
    public GroupReach(String brokers, Map<String, String> clientSettings, String topic, String group) {
        this.topic = topic;
        properties = new HashMap<>(clientSettings);
        properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, brokers);
        properties.put(ConsumerConfig.CLIENT_ID_CONFIG, "access-group-reach");
        properties.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        properties.put(ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed");
        properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
        // One record tells as much as many.
        properties.put(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "1");
        properties.put(ConsumerConfig.MAX_PARTITION_FETCH_BYTES_CONFIG, "1");
        properties.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, Long.toString(PATIENCE.toMillis()));
    }

    /**
     * As of now.
     *
     * @throws KafkaException if Kafka does not say
     */
    public synchronized Reach get() {
        if (consumer == null) {
            consumer = new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        }
        try {
            return get(consumer);
        } catch (KafkaException e) {
            // A client that is kept would reconnect, and log, for as long as Kafka is away.
            close();
            throw e;
        }
    }

    private Reach get(KafkaConsumer<byte[], byte[]> consumer) {
        List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                .map(partition -> new TopicPartition(topic, partition.partition()))
                .toList();
        if (partitions.isEmpty()) {
            throw new UnknownTopicOrPartitionException("topic " + topic + " does not exist");
        }
        var committed = consumer.committed(Set.copyOf(partitions));
        var begins = consumer.beginningOffsets(partitions);
        var ends = consumer.endOffsets(partitions);
        var handled = new HashMap<TopicPartition, Long>();
        for (var partition : partitions) {
            var offset = committed.get(partition);
            handled.put(partition, offset == null ? 0 : offset.offset());
        }
        var next = new HashMap<TopicPartition, Long>();
        partitions.forEach(partition -> next.put(partition, Math.max(handled.get(partition), begins.get(partition))));
        var oldest = readOn(consumer, next, ends);

        // Where the topic begins behind what was handled, records were missed: nobody can say that they were handled.
        var positions = partitions.stream()
                .filter(partition -> handled.get(partition) >= begins.get(partition))
                .collect(Collectors.toMap(TopicPartition::partition, next::get));
        long behind = partitions.stream()
                .mapToLong(partition -> Math.max(0, ends.get(partition) - next.get(partition)))
                .sum();
        return new Reach(positions, behind, oldest);
    }

    /**
     * Moves positions on, to the first record that the group has not handled or to the end.
     *
     * @return when the first of those records was sent; null if there is none
     * @throws TimeoutException if Kafka does not say in time
     */
    private @Nullable Instant readOn(
            KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> next, Map<TopicPartition, Long> ends) {
        var unknown = new HashSet<>(next.keySet());
        unknown.removeIf(partition -> next.get(partition) >= ends.get(partition));
        if (unknown.isEmpty()) {
            return null;
        }
        Instant oldest = null;
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        consumer.assign(unknown);
        unknown.forEach(partition -> consumer.seek(partition, next.get(partition)));
        while (!unknown.isEmpty() && System.nanoTime() - deadline < 0) {
            for (var record : consumer.poll(POLL)) {
                var partition = new TopicPartition(record.topic(), record.partition());
                next.put(partition, record.offset());
                unknown.remove(partition);
                consumer.pause(Set.of(partition));
                var sent = Instant.ofEpochMilli(record.timestamp());
                oldest = oldest == null || sent.isBefore(oldest) ? sent : oldest;
            }
            unknown.forEach(partition -> next.put(partition, consumer.position(partition)));
            unknown.removeIf(partition -> next.get(partition) >= ends.get(partition));
        }
        consumer.unsubscribe();
        if (!unknown.isEmpty()) {
            // Not "nothing waits": a Kafka that is too slow to say is one whose consumers stand still.
            throw new TimeoutException("no record of " + unknown + " came in " + PATIENCE.toSeconds() + " s");
        }
        return oldest;
    }

    @Override
    public synchronized void close() {
        if (consumer != null) {
            consumer.close(Duration.ZERO);
            consumer = null;
        }
    }
}
