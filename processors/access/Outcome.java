package processors.access;

import org.jspecify.annotations.Nullable;
import processors.consuming.Rejection;

/** What became of a record; logs and metrics are derived from it in {@link AccessCacheObserver}. */
public sealed interface Outcome {

    Arrival arrival();

    /** The user's set was replaced. */
    record Applied(Arrival arrival, AccessEvent event) implements Outcome {}

    /** The user's rights must be asked for. */
    record Invalidated(Arrival arrival, AccessEvent event, Invalidation why) implements Outcome {}

    /** A greater version of the same source was applied before. */
    record DroppedStale(Arrival arrival, AccessEvent event) implements Outcome {}

    /** The same event was applied before. */
    record DroppedDuplicate(Arrival arrival, AccessEvent event) implements Outcome {}

    record SkippedUnknownType(Arrival arrival) implements Outcome {}

    /** A dead letter; where it says whom it is about, that user's rights must be asked for. */
    record DeadLettered(Arrival arrival, Rejection rejection) implements Outcome {}

    /** The event whose words count: null unless it was applied, or has invalidated. */
    default @Nullable AccessEvent effective() {
        if (this instanceof Applied applied) {
            return applied.event();
        }
        return this instanceof Invalidated invalidated ? invalidated.event() : null;
    }
}
