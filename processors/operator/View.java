package processors.operator;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Everything that the page shows.
 *
 * @param at now: the database's time, or this machine's where no database was looked at
 * @param identity null where this process does not run identity
 * @param checks null before readiness has answered for the first time
 * @param paused whether the page stays as it is
 */
public record View(
        OffsetDateTime at,
        @Nullable Identity identity,
        List<ConsumerState> consumers,
        List<GroupLag> groups,
        @Nullable List<Check> checks,
        boolean paused) {

    /**
     * Identity's part.
     *
     * @param look the last one that has found something; null before
     * @param age of that look
     * @param progress of the tasks that are worked on
     * @param failure why there is no newer look; null when the last one has succeeded
     */
    public record Identity(
            @Nullable Look look,
            Duration age,
            Map<UUID, Progress> progress,
            @Nullable String failure) {}
}
