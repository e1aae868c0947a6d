package processors.identity;

/** A change of a role that cannot be done as asked; nothing has changed. The message says what was wrong. */
public final class RoleChangeRejectedException extends RuntimeException {

    public RoleChangeRejectedException(String message) {
        super(message);
    }
}
