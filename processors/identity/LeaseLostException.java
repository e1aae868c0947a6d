package processors.identity;

/** Another worker holds the task now: whatever this one has begun must be rolled back (design.md, decision 3). */
public final class LeaseLostException extends RuntimeException {

    public LeaseLostException(String task) {
        super("the lease of " + task + " is lost");
    }
}
