package processors.access;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The guard of the cache (EVT-07 … EVT-10): what an event does to what is held of its user. With a VersionSource the order
 * of the partition decides, and the version only drops what comes again. Without it, an event whose place in the order
 * cannot be told invalidates: a right that may have been revoked is never held.
 *
 * @param after what is to be held; null where nothing changes
 */
public record Guard(Outcome outcome, @Nullable UserAccess after) {

    /**
     * @param before what is held
     * @param inOrder false for a dead letter that is replayed: what came after it is applied already
     */
    static Guard judge(UserAccess before, Arrival arrival, boolean inOrder) {
        if (!(arrival.reading() instanceof Arrival.Reading.Readable readable) || arrival.metadata() == null) {
            throw new IllegalStateException("a record that cannot be read has no guard");
        }
        var event = readable.event();
        if (event.version() == null) {
            return invalidated(arrival, event, Invalidation.BAD_VERSION, before);
        }
        var source = arrival.versionSource();
        if (source != null) {
            return sourced(before, arrival, event, event.version(), source, inOrder);
        }
        return event.rolePermissionsChanged()
                ? invalidated(arrival, event, Invalidation.UNKNOWN_ORDER, before.roleChangedLast(true))
                : unsourced(before, arrival, event, event.version(), inOrder);
    }

    private static Guard sourced(
            UserAccess before,
            Arrival arrival,
            AccessEvent event,
            long version,
            VersionSource source,
            boolean inOrder) {
        var messageId = arrival.metadata().messageId();
        var progress = before.progress(source);
        if (progress != null && version < progress.version()) {
            return new Guard(new Outcome.DroppedStale(arrival, event), null);
        }
        if (progress != null && version == progress.version() && progress.knows(messageId)) {
            return new Guard(new Outcome.DroppedDuplicate(arrival, event), null);
        }
        if (progress != null && version == progress.version() && progress.isFull()) {
            // It may be one of those that were let go, which comes again with an older picture.
            return invalidated(
                    arrival, event, Invalidation.UNKNOWN_ORDER, before.with(source, progress.seen(messageId)));
        }
        var next = progress == null
                ? Progress.first(version, messageId)
                : version > progress.version() ? progress.reached(version, messageId) : progress.seen(messageId);
        return applied(before.with(source, next), arrival, event, inOrder);
    }

    /** Versions of another producer's assignments count each for itself: only an equal or a greater one may be newer. */
    private static Guard unsourced(
            UserAccess before, Arrival arrival, AccessEvent event, long version, boolean inOrder) {
        var messageId = arrival.metadata().messageId();
        var progress = before.progress(VersionSource.ASSIGNMENT);
        if (progress == null) {
            progress = new Progress(version, List.of());
        } else if (progress.knows(messageId)) {
            return new Guard(new Outcome.DroppedDuplicate(arrival, event), null);
        }
        // Of versions that count per assignment many are equal: when more were seen than are kept, one may be old.
        boolean older = version < progress.version() || (version == progress.version() && progress.isFull());
        var next = older ? progress : new Progress(version, progress.messageIds());
        var after = before.with(VersionSource.ASSIGNMENT, next.seen(messageId));
        return older || before.roleChangedLast()
                ? invalidated(arrival, event, Invalidation.UNKNOWN_ORDER, after.roleChangedLast(false))
                : applied(after, arrival, event, inOrder);
    }

    private static Guard applied(UserAccess after, Arrival arrival, AccessEvent event, boolean inOrder) {
        if (!inOrder) {
            return invalidated(arrival, event, Invalidation.UNKNOWN_ORDER, after);
        }
        return event.unknownEnums().isEmpty()
                ? new Guard(new Outcome.Applied(arrival, event), after.replaced(event))
                : invalidated(arrival, event, Invalidation.UNKNOWN_ENUM, after);
    }

    private static Guard invalidated(Arrival arrival, AccessEvent event, Invalidation why, UserAccess after) {
        return new Guard(new Outcome.Invalidated(arrival, event, why), after.invalidated());
    }
}
