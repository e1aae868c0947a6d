package processors.identity;

/** What insert-assignment.sql found: at least one of the conditions is false when nothing was written. */
public record GrantOutcome(boolean userExists, boolean inFuture, boolean written) {}
