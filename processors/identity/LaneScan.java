package processors.identity;

import java.time.Duration;

/**
 * From which id on a lane is read next. Rows leave a lane in id order, so reading on from the last deleted id spares the
 * database the dead rows before it; but a row with a lower id can commit late, so at least once a second, and whenever
 * the lane was taken anew, the lane is read from its beginning (cases.md 1). Not thread-safe: a lane has one thread.
 */
public final class LaneScan {

    private static final long RESCAN_NANOS = Duration.ofSeconds(1).toNanos();

    private long afterId;
    private long rescanAt = Long.MIN_VALUE;

    /** The id after which to read at this {@link System#nanoTime()}; 0 reads from the beginning. */
    public long afterId(long nanoTime) {
        if (rescanAt == Long.MIN_VALUE || nanoTime - rescanAt >= 0) {
            afterId = 0;
            rescanAt = nanoTime + RESCAN_NANOS;
        }
        return afterId;
    }

    /** Everything that was read up to this id is deleted. */
    public void deletedUpTo(long id) {
        afterId = Math.max(afterId, id);
    }

    /** Somebody else may have published meanwhile: read from the beginning next time. */
    public void reset() {
        rescanAt = Long.MIN_VALUE;
    }
}
