package processors.identity;

import java.util.Map;
import java.util.UUID;

/** Which Version the events of an announcement carry, and what it counts (EVT-05). */
public sealed interface EventVersions {

    /** The header VersionSource (contract.md). */
    String source();

    /** The Version of this user's event, at least 1. */
    long of(UUID userId);

    /** A fan-out: the role's version, the same for everybody. */
    record OfRole(UUID roleId, long version) implements EventVersions {

        @Override
        public String source() {
            return "role:" + roleId;
        }

        @Override
        public long of(UUID userId) {
            return version;
        }
    }

    /** Every other cause: the version of the user's assignments, as it is under the user's lock. */
    record OfAssignments(Map<UUID, Long> byUser) implements EventVersions {

        /** Not loaded yet. */
        static final OfAssignments UNKNOWN = new OfAssignments(Map.of());

        @Override
        public String source() {
            return "assignment";
        }

        /** @throws IllegalStateException if the user's version was not loaded */
        @Override
        public long of(UUID userId) {
            var version = byUser.get(userId);
            if (version == null) {
                throw new IllegalStateException("the version of user " + userId + " was not loaded");
            }
            return version;
        }
    }
}
