package app.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.InvalidOffsetException;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.NoOffsetForPartitionException;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.clients.consumer.OffsetOutOfRangeException;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * A consumer for camel-kafka's batches, with three things that Camel lacks.
 *
 * <p>A poll that follows one with a few records does not wait: Camel hands those few on only after the next poll, and a
 * single record on an idle topic would wait for the whole poll time-out ({@code RivalsTest} pins it).
 *
 * <p>When Kafka refuses us (a wrong password, no right to the topic or the group), or a poll fails for any other reason, it
 * polls on, slowly, and says so: Camel would end the consumer for good, or build new ones without a pause and without a word
 * (cases.md 37; {@code KafkaRefusalTest} pins it).
 *
 * <p>Where the group's position in a partition is gone, or points to records that the topic keeps no longer, records may
 * have been missed. Kafka's client would go on with the earliest record, and without a word; here somebody hears of it first, and only
 * when that has been dealt with does it go on (cases.md 47; {@code LostPositionsTest} pins it).
 */
final class PatientConsumer extends KafkaConsumer<byte[], byte[]> {

    private static final Duration REST = Duration.ofSeconds(1);
    private static final Duration FAREWELL = Duration.ofSeconds(2);

    private final Consumer<@Nullable Throwable> refusal;
    private final Consumer<Set<TopicPartition>> loss;
    private final int full;
    private boolean someHeld;
    private boolean refused;
    private long restUntil = System.nanoTime();

    /**
     * @param refused whether the consumer before this one was refused last
     * @param refusal hears why Kafka refuses us, and null when it does no longer
     * @param loss hears of partitions some of whose records were missed; when it throws, it hears of them again
     */
    PatientConsumer(
            Properties properties,
            boolean refused,
            Consumer<@Nullable Throwable> refusal,
            Consumer<Set<TopicPartition>> loss) {
        super(sayingWhatIsLost(properties));
        this.loss = loss;
        this.refused = refused;
        this.refusal = refusal;
        this.full = Integer.parseInt(properties
                .getOrDefault(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "500")
                .toString());
    }

    /** Without it the client would answer a lost position by itself. */
    private static Properties sayingWhatIsLost(Properties properties) {
        var changed = new Properties();
        changed.putAll(properties);
        if ("earliest".equals(properties.get(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG))) {
            changed.put(ConsumerConfig.AUTO_OFFSET_RESET_CONFIG, "none");
        }
        return changed;
    }

    @Override
    public ConsumerRecords<byte[], byte[]> poll(Duration timeout) {
        long rest = restUntil - System.nanoTime();
        if (rest > 0) {
            // Not longer than a poll, so that whoever stops us need not wait.
            LockSupport.parkNanos(Math.min(rest, timeout.toNanos()));
            return ConsumerRecords.empty();
        }
        try {
            var records = super.poll(someHeld ? Duration.ZERO : timeout);
            someHeld = !records.isEmpty() && records.count() < full;
            // A member of the group was let in, also one to whom no partition is left.
            if (refused && groupMetadata().generationId() >= 0) {
                refused = false;
                refusal.accept(null);
            }
            return records;
        } catch (WakeupException | InterruptException e) {
            throw e;
        } catch (InvalidOffsetException e) {
            if (someHeld) {
                // Camel hands on first what it holds; the exception comes again.
                someHeld = false;
                return ConsumerRecords.empty();
            }
            return begin(e);
        } catch (KafkaException e) {
            return rest(e);
        }
    }

    private ConsumerRecords<byte[], byte[]> rest(RuntimeException failure) {
        refused = true;
        refusal.accept(failure);
        restUntil = System.nanoTime() + REST.toNanos();
        return ConsumerRecords.empty();
    }

    /** Goes on with the earliest records; where others may have been missed, somebody hears of it first. */
    private ConsumerRecords<byte[], byte[]> begin(InvalidOffsetException failure) {
        try {
            var begins = beginningOffsets(assignment());
            var lost = new HashSet<TopicPartition>();
            var gone = new HashSet<>(failure.partitions());
            for (var partition : assignment()) {
                // All at once, or what is read of one partition would be void because of the next.
                if (isMissed(partition, begins.get(partition), failure)) {
                    lost.add(partition);
                    gone.add(partition);
                }
            }
            if (!lost.isEmpty()) {
                loss.accept(lost);
            }
            gone.forEach(partition -> seek(partition, begins.get(partition)));
            // Once is enough: a partition that ends where it begins would be lost again after the next start.
            var offsets = new HashMap<TopicPartition, OffsetAndMetadata>();
            lost.removeIf(partition -> begins.get(partition) == 0);
            lost.forEach(partition -> offsets.put(partition, new OffsetAndMetadata(begins.get(partition))));
            commitSync(offsets);
            return ConsumerRecords.empty();
        } catch (WakeupException | InterruptException e) {
            throw e;
        } catch (RuntimeException e) {
            return rest(e);
        }
    }

    private boolean isMissed(TopicPartition partition, long begin, InvalidOffsetException failure) {
        if (failure instanceof OffsetOutOfRangeException && failure.partitions().contains(partition)) {
            return true; // before the beginning; or behind the end of a topic that was made anew
        }
        try {
            return position(partition) < begin;
        } catch (NoOffsetForPartitionException e) {
            // Nothing may have come to it so far; but with a topic that was made anew, Kafka forgets all positions.
            return begin > 0 || !hasPosition(partition.topic());
        }
    }

    private boolean hasPosition(String topic) {
        var partitions = partitionsFor(topic).stream()
                .map(partition -> new TopicPartition(topic, partition.partition()))
                .collect(Collectors.toSet());
        return committed(partitions).values().stream().anyMatch(Objects::nonNull);
    }

    /** Kafka may be away: then nobody is there to say farewell to. */
    @Override
    public void close() {
        close(FAREWELL);
    }
}
