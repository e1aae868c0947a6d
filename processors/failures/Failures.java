package processors.failures;

import org.jspecify.annotations.Nullable;

/** Failures in one line. */
public final class Failures {

    private Failures() {}

    /** The innermost cause with its class, on one line; never more than one line. */
    public static String describe(@Nullable Throwable failure) {
        if (failure == null) {
            return "unknown";
        }
        var root = root(failure);
        var message = root.getMessage();
        return root.getClass().getSimpleName()
                + (message == null ? "" : ": " + message.lines().findFirst().orElse(""));
    }

    /** The innermost cause. */
    public static Throwable root(Throwable failure) {
        var root = failure;
        while (root.getCause() != null && root.getCause() != root) {
            root = root.getCause();
        }
        return root;
    }
}
