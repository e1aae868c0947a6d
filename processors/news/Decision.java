package processors.news;

import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What shall become of some records, decided in their order (spec news-identity-users.md, "Алгоритм", steps 1–4). A pure
 * function of the records and of what is known: the rows are not touched yet, and several events of one user are folded
 * into one write.
 *
 * <p>No record: Camel hashes the object of every method that it calls, and this one is a whole batch.
 */
public final class Decision {

    private final List<Outcome> outcomes;
    private final List<ReplicaWrite> writes;

    private Decision(List<Outcome> outcomes, List<ReplicaWrite> writes) {
        this.outcomes = outcomes;
        this.writes = writes;
    }

    /** One for each record, in their order. */
    public List<Outcome> outcomes() {
        return outcomes;
    }

    /** At most one for each user. */
    public List<ReplicaWrite> writes() {
        return writes;
    }

    /** Decides checked records; {@code known} is only read. */
    public static Decision of(List<Arrival> records, Known known) {
        var deciding = new Deciding(known);
        var outcomes = new ArrayList<Outcome>(records.size());
        for (var record : records) {
            var outcome = deciding.decide(record);
            if (outcome.leavesMark()) {
                deciding.marks.add(record.idempotencyKey());
            }
            outcomes.add(outcome);
        }
        return new Decision(outcomes, List.copyOf(deciding.writes.values()));
    }

    /** The writes as the statement takes them. */
    public ReplicaRows rows() {
        return ReplicaRows.of(writes);
    }

    private static final class Deciding {

        private final Known known;
        private final Set<String> marks = new HashSet<>();
        private final Map<UUID, Long> versions = new HashMap<>();
        private final Map<UUID, ReplicaWrite> writes = new LinkedHashMap<>();

        Deciding(Known known) {
            this.known = known;
        }

        Outcome decide(Arrival record) {
            var key = record.idempotencyKey();
            if (key != null && (known.marks().contains(key) || marks.contains(key))) {
                return new Outcome.SkippedDuplicate(record);
            }
            var reading = record.reading();
            if (reading instanceof Arrival.Reading.OtherType) {
                return new Outcome.SkippedUnknownType(record);
            }
            if (reading instanceof Arrival.Reading.Rejected rejected) {
                return new Outcome.DeadLettered(record, rejected.rejection());
            }
            var event = record.event();
            if (event == null) {
                throw new IllegalStateException("the record is not checked");
            }
            var present = version(event.userId());
            if (present == null && event instanceof UserEvent.Blocked blocked) {
                return new Outcome.SkippedMissingReplica(record, blocked);
            }
            if (present != null && event.version() <= present) {
                return new Outcome.SkippedStale(record, event, present);
            }
            versions.put(event.userId(), event.version());
            var createdAt = record.metadata().createdAt();
            if (event instanceof UserEvent.Upserted upserted) {
                writes.put(
                        event.userId(),
                        new ReplicaWrite.Upsert(upserted, upserted.status(), upserted.version(), createdAt));
                return new Outcome.Upserted(record, upserted);
            }
            writes.merge(
                    event.userId(),
                    new ReplicaWrite.Block(event.userId(), event.version(), createdAt),
                    (before, block) -> blocked(before, event.version(), createdAt));
            return new Outcome.Blocked(record, (UserEvent.Blocked) event);
        }

        private @Nullable Long version(UUID userId) {
            var inBatch = versions.get(userId);
            return inBatch != null ? inBatch : known.versions().get(userId);
        }

        private static ReplicaWrite blocked(ReplicaWrite before, long version, OffsetDateTime createdAt) {
            return before instanceof ReplicaWrite.Upsert upsert
                    ? new ReplicaWrite.Upsert(upsert.event(), AuthorStatus.Blocked, version, createdAt)
                    : new ReplicaWrite.Block(before.userId(), version, createdAt);
        }
    }
}
