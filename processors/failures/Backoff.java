package processors.failures;

import java.util.concurrent.ThreadLocalRandom;

/** How long to wait after the n-th failure in a row: 100 ms, doubled each time, at most 5 s, spread by a fifth. */
public final class Backoff {

    private static final long FIRST_MILLIS = 100;
    private static final long MOST_MILLIS = 5_000;

    private Backoff() {}

    /** @param failures failures in a row, from 1 on */
    public static long millis(int failures) {
        long full = Math.min(MOST_MILLIS, FIRST_MILLIS << Math.min(failures - 1, 10));
        return full - ThreadLocalRandom.current().nextLong(full / 5);
    }
}
