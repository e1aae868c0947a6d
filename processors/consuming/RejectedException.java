package processors.consuming;

/** Ends the reading of a record that can never be applied; whoever reads turns it into a value. */
public final class RejectedException extends RuntimeException {

    private final transient Rejection rejection;

    public RejectedException(String code, String reason) {
        // Without a stack trace: a flood of broken records must not cost more than good ones.
        super(reason, null, false, false);
        this.rejection = new Rejection(code, reason);
    }

    public Rejection rejection() {
        return rejection;
    }
}
