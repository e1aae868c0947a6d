package processors.identity;

import java.time.OffsetDateTime;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A fan-out task as a worker holds it (FAN-04). Task, attempt and expiry together are the fence: every write of the
 * worker names them, and a row that no longer matches belongs to somebody else (design.md, decision 3).
 *
 * @param companyId the tenant of the role; null for a platform role
 * @param roleVersion the version that every event of the task carries, at least 1
 * @param cursor the last user whose event is in the outbox; null before the first page
 * @param processedCount events appended so far
 * @param attempt 1 for the first lease
 * @param expiresAt the database's time at which others may take the task, microseconds; null once it is Completed or
 *     Failed
 * @param createdAt the database's time at which the task was queued
 * @param asOf the database's time at which this row was read
 */
public record Lease(
        UUID taskId,
        UUID roleId,
        @Nullable UUID companyId,
        long roleVersion,
        String status,
        @Nullable UUID cursor,
        int processedCount,
        int attempt,
        @Nullable OffsetDateTime expiresAt,
        OffsetDateTime createdAt,
        OffsetDateTime asOf) {

    /** Whether the last page is done and nothing is left of the task. */
    public boolean completed() {
        return status.equals("Completed");
    }
}
