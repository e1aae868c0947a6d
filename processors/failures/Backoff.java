package processors.failures;

import java.util.concurrent.ThreadLocalRandom;

/** How long to wait after the n-th failure in a row: 100 ms, doubled each time, at most 5 s, spread by a fifth. */
public final class Backoff {

    private static final long FIRST_MILLIS = 100;
    private static final long MOST_MILLIS = 5_000;
    private static final long MOST_SHORT_MILLIS = 800;

    private Backoff() {}

    /** @param failures failures in a row, from 1 on */
    public static long millis(int failures) {
        return millis(failures, MOST_MILLIS);
    }

    /** The same with at most 800 ms: for a consumer, which shall go on soon after what it waits for is back. */
    public static long shortMillis(int failures) {
        return millis(failures, MOST_SHORT_MILLIS);
    }

    private static long millis(int failures, long most) {
        long full = Math.min(most, FIRST_MILLIS << Math.min(failures - 1, 10));
        return full - ThreadLocalRandom.current().nextLong(full / 5);
    }
}
