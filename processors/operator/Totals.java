package processors.operator;

import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/**
 * What there is to do in identity. A count above {@link OperatorDesk#BOUND} is one more than it, and means: more.
 *
 * @param at the database's time of the look; ages are counted from it
 * @param waiting tasks that no worker has: Pending, or with an expired lease
 * @param running tasks in a worker's hands
 * @param announcedSince since when the oldest announcement waits; null when there is none
 * @param archivals roles that are archived and whose users have not all lost them yet
 */
public record Totals(
        OffsetDateTime at,
        long waiting,
        long running,
        long failed,
        long announcements,
        @Nullable OffsetDateTime announcedSince,
        long archivals,
        long parked) {}
