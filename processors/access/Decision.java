package processors.access;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What shall become of some records, decided in their order: a pure function of the records and of what is held. Several
 * events of one user are folded into one write.
 *
 * @param outcomes one for each record, in their order
 * @param writes what is to be held, at most one for each user
 * @param roles whose permissions may have changed, with the version that says so; 0 where none does
 */
public record Decision(List<Outcome> outcomes, List<UserAccess> writes, Map<UUID, Long> roles) {

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

    /** By identity: Camel hashes the object of every method that it calls, and this one is a whole batch. */
    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }
}
