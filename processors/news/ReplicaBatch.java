package processors.news;

import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import processors.consuming.DeadLetter;
import processors.consuming.PartedBatch;
import processors.consuming.Parts;
import processors.consuming.Received;
import processors.consuming.Rejection;

/**
 * The records of one poll on their way through one transaction. A record is open until it has an outcome; one whose row a
 * concurrent writer has changed in between stays open, and goes through all steps again (REP-13).
 */
public final class ReplicaBatch implements PartedBatch<Arrival> {

    private static final int MOST_ROUNDS = 10;

    private final List<Outcome> outcomes = new ArrayList<>();
    private List<Arrival> open;
    private final Known known = Known.nothing();
    private int rounds;
    private Parts<Arrival> parts = new Parts<>(List.of());

    private ReplicaBatch(List<Arrival> open) {
        this.open = open;
    }

    /** Receives: reads the metadata of each record. */
    public static ReplicaBatch of(List<Received> records) {
        return new ReplicaBatch(records.stream().map(Arrival::of).toList());
    }

    public boolean isOpen() {
        return !open.isEmpty();
    }

    /** The idempotency keys of the open records. */
    public String[] keys() {
        return open.stream()
                .map(Arrival::idempotencyKey)
                .filter(Objects::nonNull)
                .toArray(String[]::new);
    }

    /** Filters what was handled before: such records are not even looked into. */
    public void filterDuplicates(List<ReplicaRows.Mark> marks) {
        marks.forEach(mark -> known.marks().add(mark.idempotencyKey()));
        var left = new ArrayList<Arrival>(open.size());
        for (var record : open) {
            if (known.marks().contains(record.idempotencyKey())) {
                outcomes.add(new Outcome.SkippedDuplicate(record));
            } else {
                left.add(record);
            }
        }
        open = left;
    }

    /** Checks the values of the open records. */
    public void check() {
        open = open.stream().map(Arrival::checked).toList();
    }

    /** The users of the open records. */
    public UUID[] userIds() {
        return open.stream()
                .map(Arrival::event)
                .filter(Objects::nonNull)
                .map(UserEvent::userId)
                .distinct()
                .toArray(UUID[]::new);
    }

    /**
     * Takes what the rows hold; from here on the batch may be taken apart.
     *
     * @throws IllegalStateException if rows change, or refuse a write in silence, round after round
     */
    public void compare(List<ReplicaRows.Version> versions) {
        if (++rounds > MOST_ROUNDS) {
            throw new IllegalStateException("the rows of " + open.size() + " records were overtaken " + MOST_ROUNDS
                    + " times in one transaction");
        }
        // A row may have been deleted since the last round.
        for (var userId : userIds()) {
            known.versions().remove(userId);
        }
        versions.forEach(version -> known.versions().put(version.userId(), version.sourceVersion()));
        parts = new Parts<>(open);
        open = new ArrayList<>();
    }

    @Override
    public Parts<Arrival> parts() {
        return parts;
    }

    /** Filters what is stale, and folds what is left. */
    public Decision decide(List<Arrival> part) {
        return Decision.of(part, known);
    }

    /** The writes of a part are done; the events of users whose write was refused by its guard are open again. */
    public void settle(Decision decision, List<ReplicaRows.Written> written) {
        var lost = new HashSet<UUID>();
        decision.writes().forEach(write -> lost.add(write.userId()));
        written.forEach(row -> lost.remove(row.userId()));
        for (var outcome : decision.outcomes()) {
            var event = outcome.arrival().event();
            if (event != null && lost.contains(event.userId())) {
                open.add(outcome.arrival());
                continue;
            }
            outcomes.add(outcome);
            if (outcome.leavesMark()) {
                known.marks().add(outcome.arrival().idempotencyKey());
            }
        }
        for (var write : decision.writes()) {
            if (!lost.contains(write.userId())) {
                known.versions().put(write.userId(), write.version());
            }
        }
    }

    @Override
    public void refuse(List<Arrival> part, String sqlState, @Nullable UUID row) {
        if (parts.divide(
                part,
                record -> record.event() != null && record.event().userId().equals(row))) {
            return;
        }
        if (parts.refuse(part)) {
            outcomes.add(new Outcome.DeadLettered(
                    part.get(0),
                    new Rejection(UserEvents.MAPPING_FAILED, "the database refuses the row, SQLSTATE " + sqlState)));
        }
    }

    /** The keys of the marks that the batch leaves, in their order: two consumers cannot deadlock over them. */
    public String[] newMarks() {
        return outcomes.stream()
                .filter(Outcome::leavesMark)
                .map(outcome -> outcome.arrival().idempotencyKey())
                .sorted()
                .toArray(String[]::new);
    }

    public List<Outcome> outcomes() {
        return List.copyOf(outcomes);
    }

    @Override
    public List<DeadLetter> deadLetters() {
        var now = OffsetDateTime.now(ZoneOffset.UTC);
        return outcomes.stream()
                .filter(Outcome.DeadLettered.class::isInstance)
                .map(Outcome.DeadLettered.class::cast)
                .map(dead -> new DeadLetter(dead.arrival().source(), dead.rejection(), now, true))
                .toList();
    }
}
