package processors.identity;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.camel.AggregationStrategy;
import org.apache.camel.Exchange;
import org.jspecify.annotations.Nullable;

/** The events of one transaction on their way into the outbox, as the two parallel arrays that one insert takes. */
public final class OutboxBatch {

    private final List<UUID> userIds = new ArrayList<>();
    private final List<byte[]> payloads = new ArrayList<>();

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
