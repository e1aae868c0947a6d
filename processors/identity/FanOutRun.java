package processors.identity;

import java.time.Duration;
import java.time.OffsetDateTime;

/** The state of one task in a worker's hands; what the worker does next is derived from it. */
public enum FanOutRun {
    /** Pages are left and the lease is held. */
    WORKING("working"),
    /** The last page is committed. */
    COMPLETED("completed"),
    /** Another worker has the task. */
    LEASE_LOST("lease-lost"),
    /** This attempt failed; the task waits for the expiry of its lease. */
    ATTEMPT_FAILED("attempt-failed"),
    /** The last attempt failed; the task waits for an operator. */
    FAILED("failed"),
    /** The worker stops; the lease is handed back. */
    HANDED_BACK("handed-back");

    private final String label;

    FanOutRun(String label) {
        this.label = label;
    }

    /**
     * Whether retrying has gone on for a whole lease although the database answered all the time: a page that runs into a
     * time-out every time is no outage, and uses up its attempt (FAN-06).
     *
     * @param since the database's time of the first recovery after the last progress
     */
    public static boolean isStuck(OffsetDateTime since, Lease lease, long leaseMillis) {
        return Duration.between(since, lease.asOf()).toMillis() > leaseMillis;
    }

    /** The value of the metric label {@code result}. */
    public String label() {
        return label;
    }
}
