package processors.news;

import processors.consuming.Rejection;

/** What became of a record; logs and metrics are derived from it in {@link ReplicaObserver}. */
public sealed interface Outcome {

    Arrival arrival();

    /** Whether the record leaves a mark of idempotency (REP-04). */
    default boolean leavesMark() {
        return false;
    }

    record Upserted(Arrival arrival, UserEvent.Upserted event) implements Outcome {
        @Override
        public boolean leavesMark() {
            return true;
        }
    }

    record Blocked(Arrival arrival, UserEvent.Blocked event) implements Outcome {
        @Override
        public boolean leavesMark() {
            return true;
        }
    }

    /** @param sourceVersion the version that the row had */
    record SkippedStale(Arrival arrival, UserEvent event, long sourceVersion) implements Outcome {
        @Override
        public boolean leavesMark() {
            return true;
        }
    }

    record SkippedDuplicate(Arrival arrival) implements Outcome {}

    record SkippedMissingReplica(Arrival arrival, UserEvent.Blocked event) implements Outcome {}

    record SkippedUnknownType(Arrival arrival) implements Outcome {}

    record DeadLettered(Arrival arrival, Rejection rejection) implements Outcome {}
}
