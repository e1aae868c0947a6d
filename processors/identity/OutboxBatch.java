package processors.identity;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.camel.AggregationStrategy;
import org.apache.camel.Exchange;
import org.jspecify.annotations.Nullable;

/** The events of one transaction on their way into the outbox, as the parallel arrays that one insert takes. */
public final class OutboxBatch {

    private final List<UUID> userIds = new ArrayList<>();
    private final List<byte[]> payloads = new ArrayList<>();
    private @Nullable List<byte[]> payloadsV2;

    public void add(UUID userId, byte[] payload) {
        userIds.add(userId);
        payloads.add(payload);
    }

    public UUID[] userIds() {
        return userIds.toArray(UUID[]::new);
    }

    public byte[][] payloads() {
        return payloads.toArray(byte[][]::new);
    }

    /** The values under ContractVersion 2, in the order of {@link #userIds}; null when there are none (EVT-13). */
    public byte @Nullable [][] payloadsV2() {
        return payloadsV2 == null ? null : payloadsV2.toArray(byte[][]::new);
    }

    /** The same events under both contracts. */
    public static OutboxBatch both(OutboxBatch v1, OutboxBatch v2) {
        if (!v1.userIds.equals(v2.userIds)) {
            throw new IllegalArgumentException("not the same events");
        }
        var both = new OutboxBatch();
        both.userIds.addAll(v1.userIds);
        both.payloads.addAll(v1.payloads);
        both.payloadsV2 = v2.payloads;
        return both;
    }

    /** Collects the marshalled events of a split into the batch that the split leaves behind as its body. */
    public static final class Collect implements AggregationStrategy {

        @Override
        public Exchange aggregate(@Nullable Exchange collected, Exchange event) {
            var batch = collected == null
                    ? new OutboxBatch()
                    : collected.getMessage().getBody(OutboxBatch.class);
            batch.add(
                    event.getProperty(UserAccessChangedStep.USER_ID, UUID.class),
                    event.getMessage().getBody(byte[].class));
            if (collected != null) {
                return collected;
            }
            event.getMessage().setBody(batch);
            return event;
        }
    }
}
