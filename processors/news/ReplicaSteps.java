package processors.news;

import java.util.List;
import org.apache.camel.Body;
import org.apache.camel.Variable;

/** The steps of the route between its statements; what they do is said at {@link ReplicaBatch} and {@link Decision}. */
public final class ReplicaSteps {

    private ReplicaSteps() {}

    public static void filterDuplicates(@Variable("batch") ReplicaBatch batch, @Body List<ReplicaRows.Mark> marks) {
        batch.filterDuplicates(marks);
    }

    public static void check(@Variable("batch") ReplicaBatch batch) {
        batch.check();
    }

    public static void compare(@Variable("batch") ReplicaBatch batch, @Body List<ReplicaRows.Version> versions) {
        batch.compare(versions);
    }

    public static Decision filterStale(@Variable("batch") ReplicaBatch batch, @Variable("part") List<Arrival> part) {
        return batch.decide(part);
    }

    public static void settle(
            @Variable("batch") ReplicaBatch batch,
            @Variable("decision") Decision decision,
            @Body List<ReplicaRows.Written> written) {
        batch.settle(decision, written);
    }
}
