package processors.identity;

import java.time.OffsetDateTime;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An event that Kafka has not acknowledged yet.
 *
 * @param createdAt the database's time at which the event was appended, microseconds
 * @param traceparent the W3C trace context of the change; null when it was not traced
 * @param payload the value under ContractVersion 1; null when that is no longer published
 * @param payloadV2 the value under ContractVersion 2; null unless that is published (EVT-13)
 */
public record OutboxRow(
        long id,
        UUID userId,
        UUID messageId,
        UUID correlationId,
        String versionSource,
        @Nullable String traceparent,
        OffsetDateTime createdAt,
        byte @Nullable [] payload,
        byte @Nullable [] payloadV2) {

    /** The bytes of what is published. */
    public long bytes() {
        return length(payload) + length(payloadV2);
    }

    private static long length(byte @Nullable [] value) {
        return value == null ? 0 : value.length;
    }
}
