package processors.identity;

import org.apache.camel.Variable;

/**
 * How often a worker looks whether the relay keeps up: before the first page of a role, and whenever it has appended a
 * tenth of what the outbox may hold. So each worker goes beyond the set number by that and a page at most, and the
 * statements of a page stay the same few.
 */
public final class BackPressure {

    public boolean isDue(
            @Variable("lease") Lease lease,
            @Variable("batchSize") int batchSize,
            @Variable("maxOutboxRows") int maxOutboxRows) {
        int step = Math.max(1, maxOutboxRows / 10 / batchSize) * batchSize;
        return lease.processedCount() % step < batchSize;
    }
}
