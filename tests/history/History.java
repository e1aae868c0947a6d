package tests.history;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What has happened, as far as it was committed: recorded by triggers in the transactions themselves, and read from Kafka
 * when all is quiet.
 *
 * @param events appended to the outbox, in the order of their ids
 * @param records of the topic, in the order of each partition
 * @param checkpoints every state of every task, in the order in which they were committed
 * @param access the active assignments of every user at the end; none for a user who was deleted
 * @param holders by role, the users whose assignments of it nobody has touched
 * @param leftovers what should be empty at the end and is not
 * @param crashes how often something was killed, cut off or restarted
 */
record History(
        List<Event> events,
        List<Published> records,
        List<Checkpoint> checkpoints,
        Map<UUID, Set<UUID>> access,
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
}
