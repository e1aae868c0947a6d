package processors.consuming;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.camel.Variable;
import processors.failures.Backoff;

/** How long a consumer rests before it reads a batch again that has failed: longer each time in a row. */
public final class Pauses {

    private final Map<String, Integer> failures = new ConcurrentHashMap<>();

    public long millis(@Variable("consumer") String consumer) {
        return Backoff.shortMillis(failures.merge(consumer, 1, Integer::sum));
    }

    /** A batch is acknowledged. */
    public void reset(@Variable("consumer") String consumer) {
        failures.remove(consumer);
    }
}
