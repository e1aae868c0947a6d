package processors.operator;

import java.time.OffsetDateTime;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A fan-out task.
 *
 * @param roleCode null when the role has none
 * @param attempt the lease that it is in, or the last one; 0 before the first
 * @param processed users told so far
 * @param createdAt when it was queued
 * @param startedAt when it was first leased; null before
 * @param changedAt when it was completed, or last changed
 */
public record Task(
        State state,
        UUID id,
        UUID roleId,
        @Nullable String roleCode,
        int attempt,
        long processed,
        OffsetDateTime createdAt,
        @Nullable OffsetDateTime startedAt,
        OffsetDateTime changedAt) {

    /** What is going on with a task; unlike its status this tells an abandoned one from one that is worked on. */
    public enum State {
        RUNNING,
        WAITING,
        FAILED,
        COMPLETED
    }
}
