package processors.news;

import java.time.OffsetDateTime;
import java.util.UUID;

/**
 * What a batch does to one row: the sum of a user's events in it, in their order. It takes effect only on a row with a
 * smaller version (REP-13).
 *
 * @see UserEvent
 */
public sealed interface ReplicaWrite {

    UUID userId();

    long version();

    /** CreatedAt of the newest event. */
    OffsetDateTime syncedAt();

    /** The whole row, whether there is one or not; {@code status} is Blocked if a block came after the upsert. */
    record Upsert(UserEvent.Upserted event, AuthorStatus status, long version, OffsetDateTime syncedAt)
            implements ReplicaWrite {

        @Override
        public UUID userId() {
            return event.userId();
        }
    }

    /** The status of a row that exists, and nothing else of it (REP-11). */
    record Block(UUID userId, long version, OffsetDateTime syncedAt) implements ReplicaWrite {}
}
