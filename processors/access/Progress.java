package processors.access;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * How far the events of one source are applied to one user.
 *
 * @param version the greatest that was applied
 * @param messageIds of the events that were applied at this version, and some before, oldest first: one that comes again
 *     is the same event, and would put an older picture in front of a newer one of the same version
 */
public record Progress(long version, List<UUID> messageIds) {

    /**
     * A row keeps so many. Deletions and announcements raise no version, so that there can be many events of one; when more
     * come than are kept, one that comes again is not recognised, and the guard invalidates.
     */
    static final int MOST_MESSAGE_IDS = 100;

    public Progress {
        messageIds = List.copyOf(messageIds);
    }

    static Progress first(long version, UUID messageId) {
        return new Progress(version, List.of(messageId));
    }

    boolean knows(UUID messageId) {
        return messageIds.contains(messageId);
    }

    /** Whether the oldest MessageIds may have been let go. */
    boolean isFull() {
        return messageIds.size() >= MOST_MESSAGE_IDS;
    }

    /** After an event of a greater version: older ones are recognised by their version. */
    Progress reached(long greater, UUID messageId) {
        return first(greater, messageId);
    }

    /** After an event that is not newer by its version; the version stays. */
    Progress seen(UUID messageId) {
        var ids = new ArrayList<>(messageIds);
        ids.add(messageId);
        return new Progress(version, ids.subList(Math.max(0, ids.size() - MOST_MESSAGE_IDS), ids.size()));
    }
}
