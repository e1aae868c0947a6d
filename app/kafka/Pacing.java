package app.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.KafkaException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import processors.failures.Failures;
import processors.failures.QuietLog;

/**
 * Whether consumers are further behind than they should be. A fan-out that runs ahead of them would put a revoke that comes
 * meanwhile behind all of it. A group that stands still, or that nobody knows, holds nobody up: it is its own alert; and while
 * Kafka does not answer, the relay's back-pressure is what counts.
 */
public final class Pacing {

    private static final Logger LOG = LoggerFactory.getLogger("access.fanout");
    private static final long AGE_NANOS = Duration.ofMillis(200).toNanos();
    private static final long REST_NANOS = Duration.ofSeconds(5).toNanos();
    private static final long STANDSTILL_NANOS = Duration.ofSeconds(10).toNanos();

    private final List<String> groups;
    private final long most;
    private final TopicOffsets offsets;
    private final Map<String, Progress> progress = new HashMap<>();
    private final QuietLog failures = new QuietLog();
    private long askAt = System.nanoTime();
    private boolean mustWait;

    /** How far a group was that is far behind, and since when. */
    private record Progress(long handled, long since) {}

    /**
     * @param groups those that matter
     * @param most records that each may be behind; 0: nobody waits for them, and Kafka is never asked
     */
    public Pacing(List<String> groups, long most, TopicOffsets offsets) {
        this.groups = most == 0 ? List.of() : List.copyOf(groups);
        this.most = most;
        this.offsets = offsets;
    }

    /** As of some milliseconds ago. */
    public synchronized boolean mustWait() {
        if (groups.isEmpty()) {
            return false;
        }
        if (System.nanoTime() - askAt >= 0) {
            askAt = System.nanoTime() + AGE_NANOS;
            mustWait = ask();
        }
        return mustWait;
    }

    private boolean ask() {
        try {
            var ends = offsets.ends();
            var committed = offsets.committed(groups);
            long now = System.nanoTime();
            return groups.stream().anyMatch(group -> isBehind(group, ends, committed.get(group), now));
        } catch (KafkaException e) {
            // Kafka is away, perhaps for long: pages must not wait for its time-outs.
            askAt = System.nanoTime() + REST_NANOS;
            if (failures.maySay()) {
                LOG.atWarn()
                        .addKeyValue("exception", Failures.describe(e))
                        .log("how far consumers are is not known, nobody waits for them");
            }
            return false;
        }
    }

    private boolean isBehind(String group, Map<Integer, Long> ends, Map<Integer, Long> committed, long now) {
        long handled = 0;
        long lag = 0;
        for (var offset : committed.entrySet()) {
            handled += offset.getValue();
            lag += Math.max(0, ends.getOrDefault(offset.getKey(), 0L) - offset.getValue());
        }
        var before = progress.get(group);
        // Who had little to do has not stood still meanwhile.
        if (before == null || before.handled() != handled || lag <= most) {
            progress.put(group, new Progress(handled, now));
            return lag > most;
        }
        return now - before.since() < STANDSTILL_NANOS;
    }
}
