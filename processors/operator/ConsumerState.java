package processors.operator;

/**
 * How a consumer of this process is doing. What is not known is {@link Double#NaN}; counts are since the process began.
 *
 * @param group its group, where its metrics tell; empty otherwise
 * @param delaySeconds the longest time from an event to its commit here, of the last minute; 0 when there was none
 * @param oldestAgeSeconds the age of the first event that its group has not handled yet; 0 when there is none
 * @param lag records that its group has not handled yet
 */
public record ConsumerState(
        String name,
        String group,
        double delaySeconds,
        double oldestAgeSeconds,
        double lag,
        double deadLetters,
        double retries,
        double missed) {

    /** EVT-12: a revoked right may still work for so long. Late is what was applied late, and what waits. */
    boolean late() {
        return lateSeconds() > (group.equals("gateway") ? 30 : 60);
    }

    double lateSeconds() {
        return Double.isNaN(oldestAgeSeconds) ? delaySeconds : Math.max(delaySeconds, oldestAgeSeconds);
    }
}
