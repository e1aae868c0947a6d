package processors.access;

import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import processors.consuming.DeadLetter;
import processors.consuming.PartedBatch;
import processors.consuming.Parts;
import processors.consuming.Received;

/**
 * The records of one poll on their way through one transaction. A record is open until it has an outcome; one whose row a
 * concurrent consumer has written in between stays open, and goes through all steps again.
 */
public final class AccessBatch implements PartedBatch<Arrival> {

    private static final int MOST_ROUNDS = 10;

    private final boolean inOrder;
    private final List<Outcome> outcomes = new ArrayList<>();
    private final Map<UUID, UserAccess> held = new HashMap<>();
    private List<Arrival> open;
    private int rounds;
    private Parts<Arrival> parts = new Parts<>(List.of());

    private AccessBatch(List<Arrival> open, boolean inOrder) {
        this.open = open;
        this.inOrder = inOrder;
    }

    /** @param replayed whether these are dead letters that are handled again, long after their place in the order */
    public static AccessBatch of(List<Received> records, boolean replayed) {
        return new AccessBatch(records.stream().map(Arrival::of).toList(), !replayed);
    }

    public boolean isOpen() {
        return !open.isEmpty();
    }

    /** The users of the open records. */
    public UUID[] userIds() {
        return open.stream()
                .flatMap(record -> record.userIds().stream())
                .distinct()
                .toArray(UUID[]::new);
    }

    /**
     * Takes what the rows hold; from here on the batch may be taken apart.
     *
     * @throws IllegalStateException if rows change, or refuse a write in silence, round after round
     */
    public void compare(List<UserAccess> rows) {
        if (++rounds > MOST_ROUNDS) {
            throw new IllegalStateException("the rows of " + open.size() + " records were overtaken " + MOST_ROUNDS
                    + " times in one transaction");
        }
        // A row may have been deleted since the last round.
        for (var userId : userIds()) {
            held.remove(userId);
        }
        rows.forEach(row -> held.put(row.userId(), row));
        parts = new Parts<>(open);
        open = new ArrayList<>();
    }

    @Override
    public Parts<Arrival> parts() {
        return parts;
    }

    public Decision decide(List<Arrival> part) {
        return Decision.of(part, held, inOrder);
    }

    /** The writes of a part are done; the records of users whose row was overtaken are open again. */
    public void settle(Decision decision, List<AccessRows.Written> written) {
        var lost = new HashSet<UUID>();
        decision.writes().forEach(write -> lost.add(write.userId()));
        written.forEach(row -> lost.remove(row.userId()));
        for (var outcome : decision.outcomes()) {
            if (outcome.arrival().userIds().stream().anyMatch(lost::contains)) {
                open.add(outcome.arrival());
            } else {
                outcomes.add(outcome);
            }
        }
        for (var write : decision.writes()) {
            if (!lost.contains(write.userId())) {
                held.put(write.userId(), write.written());
            }
        }
    }

    @Override
    public void refuse(List<Arrival> part, String sqlState, @Nullable UUID row) {
        if (parts.divide(part, record -> row != null && record.userIds().contains(row))) {
            return;
        }
        if (parts.refuse(part)) {
            var alone = part.get(0);
            if (alone.reading() instanceof Arrival.Reading.Rejected rejected) {
                // Not even that the user's rights are unknown may be written.
                outcomes.add(new Outcome.DeadLettered(alone, rejected.rejection()));
            } else {
                // It fails closed: the user's rights must be asked for.
                parts.tryNext(alone.refused(sqlState));
            }
        }
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
