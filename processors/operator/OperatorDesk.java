package processors.operator;

import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.apache.camel.Body;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangeProperty;
import org.apache.camel.Variable;
import org.jspecify.annotations.Nullable;
import processors.failures.Failures;

/**
 * What was found last, for everybody who asks: however many browsers are open, the database is looked at once in two seconds
 * at most, and readiness once in ten. While the database is away, what was found before stays on the desk, with its age.
 */
public final class OperatorDesk {

    /** How far the looks count. */
    public static final int BOUND = 10_000;

    private static final Duration LOOK_PERIOD = Duration.ofSeconds(2);
    private static final Duration COUNT_PERIOD = Duration.ofSeconds(5);
    private static final Duration READINESS_PERIOD = Duration.ofSeconds(10);
    /** The time over which the rate of a task is measured. */
    private static final Duration WINDOW = Duration.ofSeconds(30);

    private final Meters meters;
    private final boolean identity;
    private final Due look = new Due(LOOK_PERIOD);
    private final Due count = new Due(COUNT_PERIOD);
    private final Due readiness = new Due(READINESS_PERIOD);
    private final Deque<Look> looks = new ArrayDeque<>();
    private Map<UUID, Expected> expected = Map.of();
    private long seenNanos;
    private @Nullable String failure;
    private @Nullable List<Check> checks;

    /** @param identity whether this process runs identity, whose database is looked at then */
    public OperatorDesk(MeterRegistry metrics, boolean identity) {
        this.meters = new Meters(metrics);
        this.identity = identity;
    }

    /** Whether the database may be looked at again. */
    public synchronized boolean isLookDue() {
        return look.is();
    }

    /** Whether tasks are worked on, and their users may be counted again. */
    public synchronized boolean isCountDue(@Body List<Task> tasks) {
        return tasks.stream().anyMatch(task -> task.state() == Task.State.RUNNING) && count.is();
    }

    public synchronized boolean isReadinessDue() {
        return readiness.is();
    }

    public synchronized void counted(@Body List<Expected> counts) {
        expected = counts.stream().collect(Collectors.toMap(Expected::taskId, Function.identity()));
    }

    /** They were too many to count in time; what was counted before is still true. */
    public synchronized void notCounted() {
        count.done();
    }

    public synchronized void seen(
            @Variable("totals") Totals totals,
            @Variable("tasks") List<Task> tasks,
            @Variable("lanes") List<Lane> lanes,
            @Variable("parked") List<ParkedRow> parked) {
        looks.addLast(new Look(totals, tasks, lanes, parked));
        looks.removeIf(old -> old.at().plus(WINDOW).isBefore(totals.at()));
        seenNanos = System.nanoTime();
        failure = null;
        look.done();
    }

    /** The look has failed: the database is away, or too slow. */
    public synchronized void failed(@ExchangeProperty(Exchange.EXCEPTION_CAUGHT) Throwable cause) {
        failure = Failures.describe(cause);
        look.done();
    }

    /** Whoever asked waits for the look no longer; it may still succeed. */
    public synchronized void unanswered() {
        if (failure == null && System.nanoTime() - seenNanos > LOOK_PERIOD.toNanos()) {
            failure = "it has not answered yet";
        }
    }

    public synchronized void answered(@Body List<Check> answers) {
        checks = List.copyOf(answers);
        readiness.done();
    }

    public synchronized View view(@Variable("paused") boolean paused) {
        var last = looks.peekLast();
        var age = last == null ? Duration.ZERO : Duration.ofNanos(System.nanoTime() - seenNanos);
        return new View(
                last == null ? OffsetDateTime.now(ZoneOffset.UTC) : last.at().plus(age),
                identity
                        ? new View.Identity(
                                last,
                                age,
                                // Whoever does not see a task does not know how it gets on.
                                last == null || failure != null
                                        ? Map.of()
                                        : Progress.of(last, List.copyOf(looks), expected),
                                failure)
                        : null,
                meters.consumers(),
                meters.groups(),
                checks,
                paused);
    }

    /** Whether it is time again for something that must not be done too often: a period after it was begun, or done. */
    private static final class Due {

        private final long periodNanos;
        private long since;

        Due(Duration period) {
            periodNanos = period.toNanos();
            since = System.nanoTime() - periodNanos;
        }

        boolean is() {
            boolean due = System.nanoTime() - since >= periodNanos;
            if (due) {
                done();
            }
            return due;
        }

        void done() {
            since = System.nanoTime();
        }
    }
}
