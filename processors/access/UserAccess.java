package processors.access;

import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What is held of one user: a row of {@code access_cache.user_access}.
 *
 * @param assignments a JSON array; null while nothing is known and the user's rights must be asked for (state Invalidated),
 *     and in a row that was only read: an event replaces the set, or invalidates it
 * @param sources how far each source is applied, by its name
 * @param roleChangedLast whether a change of a role came last of which nobody said which role it was (no VersionSource):
 *     then the next event about assignments may be older than it
 * @param revision counts the writes of the row; 0 where there is none
 */
public record UserAccess(
        UUID userId,
        @Nullable UUID companyId,
        @Nullable String assignments,
        Map<String, Progress> sources,
        boolean roleChangedLast,
        long revision) {

    static UserAccess absent(UUID userId) {
        return new UserAccess(userId, null, null, Map.of(), false, 0);
    }

    @Nullable
    Progress progress(VersionSource source) {
        return sources.get(source.name());
    }

    UserAccess with(VersionSource source, Progress progress) {
        var changed = new TreeMap<>(sources);
        changed.put(source.name(), progress);
        return new UserAccess(userId, companyId, assignments, changed, roleChangedLast, revision);
    }

    /** The set is replaced as a whole (EVT-07). */
    UserAccess replaced(AccessEvent event) {
        return new UserAccess(userId, event.companyId(), event.assignments(), sources, false, revision);
    }

    UserAccess invalidated() {
        return new UserAccess(userId, companyId, null, sources, roleChangedLast, revision);
    }

    /** The same after its row was written. */
    UserAccess written() {
        return new UserAccess(userId, companyId, assignments, sources, roleChangedLast, revision + 1);
    }

    UserAccess roleChangedLast(boolean value) {
        return new UserAccess(userId, companyId, assignments, sources, value, revision);
    }
}
