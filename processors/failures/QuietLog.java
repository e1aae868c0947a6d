package processors.failures;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Keeps a failure that lasts from flooding the log: it may be said when it begins, and then twice a minute. */
public final class QuietLog {

    private static final long QUIET_NANOS = Duration.ofSeconds(30).toNanos();

    private final AtomicLong quietUntil = new AtomicLong(System.nanoTime());

    /** Whether to say it now. */
    public boolean maySay() {
        long now = System.nanoTime();
        long quiet = quietUntil.get();
        return now - quiet >= 0 && quietUntil.compareAndSet(quiet, now + QUIET_NANOS);
    }
}
