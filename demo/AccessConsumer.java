package demo;

import java.util.Map;
import java.util.stream.IntStream;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

/** A reader of the access events as the contract wants it: committed records only. */
public final class AccessConsumer {

    static final int PARTITIONS = 6;

    private AccessConsumer() {}

    /** Reads the topic from its beginning, without a group. */
    public static KafkaConsumer<byte[], byte[]> open(EmbeddedStack stack) {
        var consumer = new KafkaConsumer<>(
                Map.<String, Object>of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, stack.kafka().brokers(),
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG, "read_committed",
                        ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "5000"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        var partitions = IntStream.range(0, PARTITIONS)
                .mapToObj(partition -> new TopicPartition(EmbeddedStack.TOPIC, partition))
                .toList();
        consumer.assign(partitions);
        consumer.seekToBeginning(partitions);
        return consumer;
    }
}
