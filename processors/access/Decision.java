package processors.access;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/**
 * What shall become of some records, decided in their order: a pure function of the records and of what is held. Several
 * events of one user are folded into one write.
 *
 * <p>No record: Camel hashes the object of every method that it calls, and this one is a whole batch.
 */
public final class Decision {

    private final List<Outcome> outcomes;
    private final List<UserAccess> writes;
    private final Map<UUID, Long> roles;

    private Decision(List<Outcome> outcomes, List<UserAccess> writes, Map<UUID, Long> roles) {
        this.outcomes = outcomes;
        this.writes = writes;
        this.roles = roles;
    }

    /** One for each record, in their order. */
    public List<Outcome> outcomes() {
        return outcomes;
    }

    /** What is to be held, at most one for each user. */
    public List<UserAccess> writes() {
        return writes;
    }

    /** Whose permissions may have changed, with the version that says so; 0 where none does. */
    public Map<UUID, Long> roles() {
        return roles;
    }

    /**
     * @param held by user; only read
     * @param inOrder false for dead letters that are replayed
     */
    static Decision of(List<Arrival> records, Map<UUID, UserAccess> held, boolean inOrder) {
        var outcomes = new ArrayList<Outcome>(records.size());
        var changed = new LinkedHashMap<UUID, UserAccess>();
        var roles = new TreeMap<UUID, Long>();
        for (var record : records) {
            var outcome = decide(record, held, changed, inOrder);
            outcomes.add(outcome);
            addRoles(outcome, roles);
        }
        return new Decision(outcomes, List.copyOf(changed.values()), roles);
    }

    private static Outcome decide(
            Arrival record, Map<UUID, UserAccess> held, Map<UUID, UserAccess> changed, boolean inOrder) {
        if (record.reading() instanceof Arrival.Reading.OtherType) {
            return new Outcome.SkippedUnknownType(record);
        }
        if (record.reading() instanceof Arrival.Reading.Rejected rejected) {
            for (var userId : record.userIds()) {
                changed.put(userId, present(userId, held, changed).invalidated());
            }
            return new Outcome.DeadLettered(record, rejected.rejection());
        }
        var userId = record.userIds().get(0);
        var verdict = Guard.judge(present(userId, held, changed), record, inOrder);
        if (verdict.after() != null) {
            changed.put(userId, verdict.after());
        }
        return verdict.outcome();
    }

    private static UserAccess present(UUID userId, Map<UUID, UserAccess> held, Map<UUID, UserAccess> changed) {
        var present = changed.containsKey(userId) ? changed.get(userId) : held.get(userId);
        return present == null ? UserAccess.absent(userId) : present;
    }

    /** The roles whose cached permissions are void (EVT-07): the one that says so, and else all that may have changed. */
    private static void addRoles(Outcome outcome, Map<UUID, Long> roles) {
        var source = outcome.arrival().versionSource();
        var role = source == null ? null : source.roleId();
        var event = outcome.effective();
        if (event == null) {
            if (role != null && outcome instanceof Outcome.DeadLettered) {
                voided(role, 0, roles); // something about it cannot be read
            }
            return;
        }
        if (role != null) {
            voided(role, event.version() == null ? 0 : event.version(), roles);
        } else if (source == null || event.rolePermissionsChanged()) {
            event.roleIds().forEach(each -> voided(each, 0, roles));
        }
    }

    /** Where one does not say its version, the versions of others do not make up for it. */
    private static void voided(UUID role, long version, Map<UUID, Long> roles) {
        roles.merge(role, version, (one, other) -> one == 0 || other == 0 ? 0 : Math.max(one, other));
    }

    /** The writes as the statement takes them. */
    public AccessRows rows() {
        return AccessRows.of(writes, roles);
    }
}
