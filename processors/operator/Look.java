package processors.operator;

import java.time.OffsetDateTime;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import processors.operator.Task.State;

/** What one look at identity's database has found. */
public record Look(Totals totals, List<Task> tasks, List<Lane> lanes, List<ParkedRow> parked) {

    /** The database's time of the look. */
    public OffsetDateTime at() {
        return totals.at();
    }

    public List<Task> tasks(State state) {
        return tasks.stream().filter(task -> task.state() == state).toList();
    }

    Optional<Task> running(UUID id) {
        return tasks(State.RUNNING).stream()
                .filter(task -> task.id().equals(id))
                .findFirst();
    }

    /** The oldest event that Kafka does not have yet. */
    Optional<OffsetDateTime> waitingSince() {
        return lanes.stream()
                .flatMap(lane -> Optional.ofNullable(lane.waitingSince()).stream())
                .min(OffsetDateTime::compareTo);
    }

    /** Events that Kafka does not have yet; above {@link OperatorDesk#BOUND} means: more. */
    long events() {
        return lanes.stream().mapToLong(Lane::events).sum();
    }
}
