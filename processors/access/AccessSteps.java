package processors.access;

import java.util.List;
import org.apache.camel.Body;
import org.apache.camel.Variable;
import org.jspecify.annotations.Nullable;
import processors.consuming.Received;

/** The steps of the route between its statements; what they do is said at {@link AccessBatch} and {@link Guard}. */
public final class AccessSteps {

    private AccessSteps() {}

    /** @param replayed true for dead letters; null for records from the topic */
    public static AccessBatch receive(
            @Variable("received") List<Received> received, @Variable("replayed") @Nullable Boolean replayed) {
        return AccessBatch.of(received, Boolean.TRUE.equals(replayed));
    }

    public static void compare(@Variable("batch") AccessBatch batch, @Body List<UserAccess> rows) {
        batch.compare(rows);
    }

    public static Decision decide(@Variable("batch") AccessBatch batch, @Variable("part") List<Arrival> part) {
        return batch.decide(part);
    }

    public static void settle(
            @Variable("batch") AccessBatch batch,
            @Variable("decision") Decision decision,
            @Body List<AccessRows.Written> written) {
        batch.settle(decision, written);
    }
}
