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
            var userId = record.userId();
            if (record.reading() instanceof Arrival.Reading.OtherType) {
                outcomes.add(new Outcome.SkippedUnknownType(record));
            } else if (userId == null && record.reading() instanceof Arrival.Reading.Rejected rejected) {
                outcomes.add(new Outcome.DeadLettered(record, rejected.rejection()));
            } else if (userId != null) {
                var present = changed.containsKey(userId)
                        ? changed.get(userId)
                        : held.getOrDefault(userId, UserAccess.absent(userId));
                var verdict = Guard.judge(present, record, inOrder);
                outcomes.add(verdict.outcome());
                if (verdict.after() != null) {
                    changed.put(userId, verdict.after());
                }
                addRoles(verdict.outcome(), roles);
            } else {
                throw new IllegalStateException("a readable record has no user");
            }
        }
        return new Decision(outcomes, List.copyOf(changed.values()), roles);
    }

    /** The roles whose cached permissions are void (EVT-07): the one that says so, and else all that may have changed. */
    private static void addRoles(Outcome outcome, Map<UUID, Long> roles) {
        var event = outcome.effective();
        if (event == null) {
            return;
        }
        var source = outcome.arrival().versionSource();
        var role = source == null ? null : source.roleId();
        if (role != null && event.version() != null) {
            roles.merge(role, event.version(), Math::max);
        } else if (source == null || event.rolePermissionsChanged()) {
            event.roleIds().forEach(each -> roles.putIfAbsent(each, 0L));
        }
    }

    /** The writes as the statement takes them. */
    public AccessRows rows() {
        return AccessRows.of(writes, roles);
    }
}
