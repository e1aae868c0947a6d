package processors.consuming;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import org.apache.camel.component.kafka.consumer.CommitManager;
import org.apache.camel.component.kafka.consumer.KafkaManualCommit;
import org.apache.camel.component.kafka.consumer.KafkaManualCommitFactory.CamelExchangePayload;
import org.apache.camel.component.kafka.consumer.KafkaManualCommitFactory.KafkaRecordPayload;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;

/**
 * The offset of one record, ready to be committed. Its constructor is the manual commit factory of the consuming
 * endpoints: with Camel's own factories, Camel commits by itself when a batch fails, and passes over it; with any other,
 * nothing is committed but what a route asks for ({@code OutageTest} and {@code RivalsTest} pin it).
 */
public final class OffsetCommit implements KafkaManualCommit {

    private final Consumer<?, ?> consumer;
    private final TopicPartition partition;
    private final long offset;
    private final Duration patience;

    public OffsetCommit(CamelExchangePayload exchange, KafkaRecordPayload record, CommitManager ignored) {
        this.consumer = exchange.consumer;
        this.partition = record.partition;
        this.offset = record.recordOffset;
        this.patience = Duration.ofMillis(record.commitTimeout);
    }

    @Override
    public void commit() {
        commit(java.util.List.of(this));
    }

    /**
     * Commits, in one request, what was handled of each partition. Partitions that a rebalance has given to another
     * consumer are left to it: it may have committed more already.
     *
     * @param handled the offsets of handled records; the highest of each partition counts
     * @throws org.apache.kafka.common.KafkaException if Kafka does not take it; it is not tried again
     */
    public static void commit(Collection<OffsetCommit> handled) {
        var offsets = new HashMap<TopicPartition, OffsetAndMetadata>();
        for (var record : handled) {
            offsets.merge(
                    record.partition,
                    new OffsetAndMetadata(record.offset + 1),
                    (a, b) -> a.offset() >= b.offset() ? a : b);
        }
        var any = handled.iterator().next();
        offsets.keySet().retainAll(any.consumer.assignment());
        if (!offsets.isEmpty()) {
            any.consumer.commitSync(offsets, any.patience);
        }
    }
}
