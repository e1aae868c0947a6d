package processors.operator;

import java.time.OffsetDateTime;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A lane of the relay.
 *
 * @param holder the publisher that holds it, or held it last; null when it was given back
 * @param ours whether that is this process
 * @param held whether its lease is good
 * @param heardAt the last heartbeat of the holder; null when nobody holds it
 * @param events not delivered yet; a count above {@link OperatorDesk#BOUND} means: more
 * @param waitingSince since when the oldest of them waits; null when there is none
 */
public record Lane(
        int number,
        @Nullable UUID holder,
        boolean ours,
        boolean held,
        @Nullable OffsetDateTime heardAt,
        long events,
        @Nullable OffsetDateTime waitingSince) {}
