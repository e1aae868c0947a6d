package app.kafka;

import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.InterruptException;
import org.apache.kafka.common.errors.WakeupException;
import org.jspecify.annotations.Nullable;

/**
 * A consumer for camel-kafka's batches, with two things that Camel lacks.
 *
 * <p>A poll that follows one with a few records does not wait: Camel hands those few on only after the next poll, and a
 * single record on an idle topic would wait for the whole poll time-out ({@code RivalsTest} pins it).
 *
 * <p>When Kafka refuses us (a wrong password, no right to the topic or the group), or a poll fails for any other reason, it
 * polls on, slowly, and says so: Camel would end the consumer for good, or build new ones without a pause and without a word
 * (cases.md 37; {@code KafkaRefusalTest} pins it).
 */
final class PatientConsumer extends KafkaConsumer<byte[], byte[]> {

    private static final Duration REST = Duration.ofSeconds(1);
    private static final Duration FAREWELL = Duration.ofSeconds(2);

    private final Consumer<@Nullable Throwable> refusal;
    private final int full;
    private boolean someHeld;
    private boolean refused;
    private long restUntil = System.nanoTime();

    /**
     * @param refused whether the consumer before this one was refused last
     * @param refusal hears why Kafka refuses us, and null when it does no longer
     */
    PatientConsumer(Properties properties, boolean refused, Consumer<@Nullable Throwable> refusal) {
        super(properties);
        this.refused = refused;
        this.refusal = refusal;
        this.full = Integer.parseInt(properties
                .getOrDefault(ConsumerConfig.MAX_POLL_RECORDS_CONFIG, "500")
                .toString());
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
        } catch (KafkaException e) {
            refused = true;
            refusal.accept(e);
            restUntil = System.nanoTime() + REST.toNanos();
            return ConsumerRecords.empty();
        }
    }

    /** Kafka may be away: then nobody is there to say farewell to. */
    @Override
    public void close() {
        close(FAREWELL);
    }
}
