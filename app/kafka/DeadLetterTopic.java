package app.kafka;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.jspecify.annotations.Nullable;
import processors.consuming.DeadLetter;
import processors.consuming.Metadata;
import processors.consuming.Received;

/**
 * The dead letters of a consumer, as the commands see them (REP-16). Those that wait are behind the offsets of a group of
 * its own, which moves on when all of them are replayed; of several letters about one source record the last one counts,
 * so that a record that was sent twice, or has come back, is one letter.
 */
public final class DeadLetterTopic implements AutoCloseable {

    private static final Duration POLL = Duration.ofMillis(200);
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final String topic;
    private final KafkaConsumer<byte[], byte[]> consumer;
    /** For single records, while the other one is on its way through the letters. */
    private final KafkaConsumer<byte[], byte[]> lookup;

    private final List<TopicPartition> partitions;
    private final Map<TopicPartition, Long> ends;

    /**
     * @param group which remembers how far the letters are replayed
     * @throws KafkaException if Kafka cannot be reached, or the topic does not exist
     */
    public DeadLetterTopic(String brokers, Map<String, String> clientSettings, String topic, String group) {
        this.topic = topic;
        var properties = new HashMap<String, Object>(clientSettings);
        properties.put(ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, brokers);
        properties.put(ConsumerConfig.GROUP_ID_CONFIG, group);
        properties.put(ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG, "false");
        properties.put(ConsumerConfig.ALLOW_AUTO_CREATE_TOPICS_CONFIG, "false");
        properties.put(ConsumerConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, Long.toString(PATIENCE.toMillis()));
        // Retention may take letters away while they are read: then the next ones count, and not the end.
        properties.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "earliest");
        consumer = new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        lookup = new KafkaConsumer<>(properties, new ByteArrayDeserializer(), new ByteArrayDeserializer());
        try {
            partitions = consumer.partitionsFor(topic).stream()
                    .map(partition -> new TopicPartition(topic, partition.partition()))
                    .toList();
            if (partitions.isEmpty()) {
                throw new KafkaException("topic " + topic + " does not exist");
            }
            ends = consumer.endOffsets(partitions);
        } catch (RuntimeException e) {
            consumer.close(Duration.ZERO);
            lookup.close(Duration.ZERO);
            throw e;
        }
    }

    /** A dead letter. The {@code id} is its partition and offset in the dead-letter topic, with a hyphen between them. */
    public record Letter(String id, ConsumerRecord<byte[], byte[]> record) {

        static Letter of(ConsumerRecord<byte[], byte[]> record) {
            return new Letter(record.partition() + "-" + record.offset(), record);
        }

        /** An added header, or one of the source; a dash where it is missing or unreadable. */
        public String header(String name) {
            var text = Metadata.text(record.headers(), name);
            return text == null ? "-" : text;
        }

        /** Where the record came from: topic, partition and offset. */
        public String source() {
            return header(DeadLetter.OFFSET).equals("-")
                    ? "no dead letter of ours: " + id
                    : header(DeadLetter.TOPIC) + " " + header(DeadLetter.PARTITION) + " " + header(DeadLetter.OFFSET);
        }
    }

    /** Hands over the letters that wait, oldest first, each only once. */
    public void forEachPending(Consumer<Letter> action) {
        var last = new HashMap<String, String>();
        read(from(), letter -> last.put(letter.source(), letter.id()));
        Set<String> pending = new HashSet<>(last.values());
        read(from(), letter -> {
            if (pending.contains(letter.id())) {
                action.accept(letter);
            }
        });
    }

    /** The letter with this id, whether it waits or was replayed; null when there is none. */
    public @Nullable Letter find(String id) {
        var parts = id.split("-", 2);
        try {
            var partition = new TopicPartition(topic, Integer.parseInt(parts[0]));
            var record = parts.length == 2 && partitions.contains(partition)
                    ? record(partition, Long.parseLong(parts[1]))
                    : null;
            return record == null ? null : Letter.of(record);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /**
     * The record that a letter is about, as it was.
     *
     * @return null when the letter does not hold it, and its source has it no longer; also for a record that is no dead
     *     letter of ours
     */
    public @Nullable Received source(Letter letter) {
        TopicPartition at;
        long offset;
        try {
            at = new TopicPartition(
                    letter.header(DeadLetter.TOPIC), Integer.parseInt(letter.header(DeadLetter.PARTITION)));
            offset = Long.parseLong(letter.header(DeadLetter.OFFSET));
        } catch (NumberFormatException e) {
            return null; // somebody else's record
        }
        var record = letter.record();
        if (!letter.header(DeadLetter.REASON).startsWith(DeadLetter.NOT_WHOLE)) {
            return new Received(
                    at.topic(),
                    at.partition(),
                    offset,
                    record.key(),
                    record.value(),
                    DeadLetter.sourceHeaders(record.headers()));
        }
        var source = record(at, offset);
        return source == null
                ? null
                : new Received(at.topic(), at.partition(), offset, source.key(), source.value(), source.headers());
    }

    /** All letters that waited when this was opened are replayed. */
    public void allReplayed() {
        var offsets = new HashMap<TopicPartition, OffsetAndMetadata>();
        ends.forEach((partition, end) -> offsets.put(partition, new OffsetAndMetadata(end)));
        consumer.commitSync(offsets);
    }

    private Map<TopicPartition, Long> from() {
        var committed = consumer.committed(Set.copyOf(partitions));
        var from = new HashMap<>(consumer.beginningOffsets(partitions));
        from.replaceAll((partition, begin) -> {
            var offset = committed.get(partition);
            return offset == null ? begin : Math.max(begin, offset.offset());
        });
        return from;
    }

    private void read(Map<TopicPartition, Long> from, Consumer<Letter> action) {
        consumer.assign(partitions);
        from.forEach(consumer::seek);
        var open = new ArrayList<>(partitions);
        open.removeIf(partition -> from.get(partition) >= ends.get(partition));
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!open.isEmpty()) {
            if (System.nanoTime() - deadline > 0) {
                throw new KafkaException("Kafka does not answer");
            }
            for (var record : consumer.poll(POLL)) {
                deadline = System.nanoTime() + PATIENCE.toNanos();
                var partition = new TopicPartition(record.topic(), record.partition());
                if (record.offset() < ends.get(partition)) {
                    action.accept(Letter.of(record));
                }
            }
            open.removeIf(partition -> consumer.position(partition) >= ends.get(partition));
        }
    }

    private @Nullable ConsumerRecord<byte[], byte[]> record(TopicPartition partition, long offset) {
        lookup.assign(List.of(partition));
        var begin = lookup.beginningOffsets(List.of(partition)).get(partition);
        var end = lookup.endOffsets(List.of(partition)).get(partition);
        if (offset < begin || offset >= end) {
            return null;
        }
        lookup.seek(partition, offset);
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (System.nanoTime() - deadline < 0) {
            for (var record : lookup.poll(POLL)) {
                return record.offset() == offset ? record : null;
            }
        }
        return null;
    }

    @Override
    public void close() {
        consumer.close(Duration.ofSeconds(2));
        lookup.close(Duration.ofSeconds(2));
    }
}
