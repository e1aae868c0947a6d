package processors.identity;

import java.time.Duration;

/**
 * What of a lane is read next: from which id on, how many rows, and how many bytes. Rows leave a lane in id order, so reading on from the last deleted id spares the
 * database the dead rows before it; but a row with a lower id can commit late, so at least once a second, and whenever
 * the lane was taken anew, the lane is read from its beginning (cases.md 1). A batch that fails is halved, so that in
 * the end the one row that Kafka can never take stands alone. Not thread-safe: a lane has one thread.
 */
public final class LaneScan {

    private static final long RESCAN_NANOS = Duration.ofSeconds(1).toNanos();

    /** Each lane holds a batch about three times at once: as rows, as records, and in its producer's buffer. */
    private static final int MOST_BYTES = 8 << 20;

    private final int mostRows;
    private long afterId;
    private long rescanAt = Long.MIN_VALUE;
    private int rows;

    /** @param mostRows in one batch, when nothing fails */
    public LaneScan(int mostRows) {
        this.mostRows = mostRows;
        this.rows = mostRows;
    }

    /** How many rows to read. */
    public int rows() {
        return rows;
    }

    /** How many bytes of payload to read; the row with which they are reached is the last one. */
    public int bytes() {
        return MOST_BYTES;
    }

    /** The id after which to read now; 0 reads from the beginning. */
    public long afterId() {
        long nanoTime = System.nanoTime();
        if (rescanAt == Long.MIN_VALUE || nanoTime - rescanAt >= 0) {
            afterId = 0;
            rescanAt = nanoTime + RESCAN_NANOS;
        }
        return afterId;
    }

    /** A batch was published, and everything that was read up to this id is deleted. */
    public void published(long lastId) {
        afterId = Math.max(afterId, lastId);
        rows = Math.min(mostRows, rows * 2);
    }

    /** A batch of so many rows failed. */
    public void failed(int size) {
        if (size > 0) {
            rows = Math.max(1, size / 2);
        }
        reset();
    }

    /** Somebody else may have published meanwhile: read from the beginning next time. */
    public void reset() {
        rescanAt = Long.MIN_VALUE;
    }
}
