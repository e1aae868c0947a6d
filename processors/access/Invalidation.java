package processors.access;

/** Why a user's rights must be asked for again. */
public enum Invalidation {
    /** A ChangeReason or ScopeType of which this version knows nothing (EVT-09). */
    UNKNOWN_ENUM("unknown-enum"),
    /** Version is missing, not a number or smaller than 1 (EVT-08). */
    BAD_VERSION("bad-version"),
    /** The order of the events cannot be told (EVT-08). */
    UNKNOWN_ORDER("unknown-order"),
    /** The record breaks the contract, and is a dead letter. */
    BROKEN("broken");

    private final String label;

    Invalidation(String label) {
        this.label = label;
    }

    /** The value of the metric label {@code reason}. */
    public String label() {
        return label;
    }
}
