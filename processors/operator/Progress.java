package processors.operator;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * How a task that is worked on gets on.
 *
 * @param expected users in the end; null while not known
 * @param more whether there are more than that
 * @param perSecond users told in a second, lately; null while only one look has seen the task
 */
public record Progress(
        @Nullable Long expected, boolean more, @Nullable Double perSecond) {

    /** Two looks that are closer say nothing of a rate: a page is told at once. */
    private static final Duration SHORTEST = Duration.ofSeconds(1);

    /**
     * The progress of each running task. The rate is that since the earliest of these looks: the average since the start
     * would still count an outage of yesterday.
     *
     * @param earlier looks, oldest first
     */
    static Map<UUID, Progress> of(Look look, List<Look> earlier, Map<UUID, Expected> expected) {
        return look.tasks(Task.State.RUNNING).stream()
                .collect(Collectors.toMap(Task::id, task -> of(task, look.at(), earlier, expected.get(task.id()))));
    }

    private static Progress of(Task task, OffsetDateTime at, List<Look> earlier, @Nullable Expected expected) {
        var rate = earlier.stream()
                .filter(look -> look.at().plus(SHORTEST).compareTo(at) <= 0)
                .flatMap(look -> look.running(task.id()).stream().map(before -> {
                    double seconds = Duration.between(look.at(), at).toMillis() / 1e3;
                    return Math.max(0, task.processed() - before.processed()) / seconds;
                }))
                .findFirst();
        return new Progress(
                // A grant in front of the cursor may make it more than were counted.
                expected == null ? null : Math.max(expected.users(), task.processed()),
                expected != null && expected.more(),
                rate.orElse(null));
    }

    /** When the task is done, if it goes on like this, or the earliest time where there are more; null while not known. */
    @Nullable
    OffsetDateTime end(Task task, OffsetDateTime at) {
        if (expected == null || perSecond == null || perSecond == 0) {
            return null;
        }
        return at.plus(Duration.ofMillis((long) ((expected - task.processed()) / perSecond * 1e3)));
    }
}
