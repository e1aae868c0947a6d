package app.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;

/**
 * How far a group has got in its topic: every record before these positions is handled. That is more than what the group has
 * committed: behind the last record a topic holds the marks of transactions, which nobody receives and nobody commits.
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
     * The positions by partition; without those partitions some of whose records were missed.
     *
     * @throws KafkaException if Kafka does not say
     */
    public synchronized Map<Integer, Long> get() {
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

    private Map<Integer, Long> get(KafkaConsumer<byte[], byte[]> consumer) {
        List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                .map(partition -> new TopicPartition(topic, partition.partition()))
                .toList();
        var committed = consumer.committed(Set.copyOf(partitions));
        var begins = consumer.beginningOffsets(partitions);
        var ends = consumer.endOffsets(partitions);
        var reach = new HashMap<TopicPartition, Long>();
        for (var partition : partitions) {
            var offset = committed.get(partition);
            long handled = offset == null ? 0 : offset.offset();
            // Where the topic begins behind what was handled, records were missed: nobody can say that they were
            // handled.
            if (handled >= begins.get(partition)) {
                reach.put(partition, handled);
            }
        }
        passMarks(consumer, reach, ends);
        return reach.entrySet().stream()
                .collect(Collectors.toMap(entry -> entry.getKey().partition(), Map.Entry::getValue));
    }

    /** Reads on from where the group is, to the first record that it has not handled, or to the end. */
    private static void passMarks(
            KafkaConsumer<byte[], byte[]> consumer, Map<TopicPartition, Long> reach, Map<TopicPartition, Long> ends) {
        var behind = reach.keySet().stream()
                .filter(partition -> reach.get(partition) < ends.get(partition))
                .collect(Collectors.toSet());
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        for (var partition : behind) {
            consumer.assign(List.of(partition));
            consumer.seek(partition, reach.get(partition));
            while (consumer.position(partition) < ends.get(partition) && System.nanoTime() < deadline) {
                var records = consumer.poll(POLL);
                if (!records.isEmpty()) {
                    reach.put(partition, records.iterator().next().offset());
                    break;
                }
                reach.put(partition, consumer.position(partition));
            }
        }
        consumer.unsubscribe();
    }

    @Override
    public synchronized void close() {
        if (consumer != null) {
            consumer.close(Duration.ZERO);
            consumer = null;
        }
    }
}
