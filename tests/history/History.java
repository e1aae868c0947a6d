package tests.history;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * What has happened, as far as it was committed: recorded by triggers in the transactions themselves, and read from Kafka
 * when all is quiet.
 *
 * @param events appended to the outbox, in the order of their ids
 * @param records of the topic, in the order of each partition
 * @param checkpoints every state of every task, in the order in which they were committed
 * @param access the active assignments of every user at the end; none for a user who was deleted
 * @param caches what consumers of the records held
 * @param holders by role, the users whose assignments of it nobody has touched
 * @param leftovers what should be empty at the end and is not
 * @param crashes how often something was killed, cut off or restarted
 */
record History(
        List<Event> events,
        List<Published> records,
        List<Checkpoint> checkpoints,
        Map<UUID, Set<Right>> access,
        List<Cached> caches,
        Map<UUID, Set<UUID>> holders,
        List<String> leftovers,
        int crashes) {

    /**
     * An event in the outbox.
     *
     * @param xid the transaction that appended it
     */
    record Event(
            long id,
            long xid,
            UUID user,
            UUID messageId,
            UUID correlationId,
            String source,
            long version,
            Set<UUID> assignments) {}

    /** A record in Kafka. */
    record Published(int partition, long offset, UUID messageId, UUID user, Set<UUID> assignments) {}

    /**
     * A task as one transaction has left it.
     *
     * @param xid the transaction
     */
    record Checkpoint(
            long xid,
            UUID task,
            UUID role,
            long roleVersion,
            String status,
            @Nullable UUID cursor,
            int processed,
            int attempt) {}

    /**
     * An assignment: what it says, and where.
     *
     * @param scope its type and what it names
     */
    record Right(UUID assignment, UUID role, String scope) {}

    /**
     * An access cache.
     *
     * @param versionSource whether its records say what their version counts
     * @param written each state of each user, in the order of each user's commits
     * @param atRest by user, when the cache had handled every record
     */
    record Cached(String name, boolean versionSource, List<Held> written, Map<UUID, Held> atRest) {

        /** How many users' rights are unknown in the end. */
        long invalidated() {
            return atRest.values().stream().filter(held -> !held.fresh()).count();
        }
    }

    /**
     * What a cache holds of a user.
     *
     * @param rights none while they are unknown
     * @param messages the events of which the row says that they were applied
     */
    record Held(UUID user, boolean fresh, Set<Right> rights, Set<UUID> messages) {

        Set<UUID> assignments() {
            return rights.stream().map(Right::assignment).collect(Collectors.toSet());
        }
    }
}
