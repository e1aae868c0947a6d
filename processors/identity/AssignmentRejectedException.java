package processors.identity;

/** A change of an assignment that cannot be done as asked; nothing has changed. The message says what was wrong. */
public final class AssignmentRejectedException extends RuntimeException {

    public AssignmentRejectedException(String message) {
        super(message);
    }
}
