package processors.failures;

import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.Set;
import org.apache.camel.Exchange;
import org.apache.camel.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Whether a failure is the database's and passes by itself (FAN-13; design.md, decision 3): a lost connection, a
 * deadlock, a serialisation failure, too few resources, a lock or statement time-out, a shutdown.
 */
public final class TransientSqlFailure implements Predicate {

    /** Connection, transaction rollback, resources, object not in prerequisite state, operator intervention. */
    private static final Set<String> CLASSES = Set.of("08", "40", "53", "55", "57");

    /** Sessions that the server ended for idling in a transaction, or for a transaction that took too long. */
    private static final Set<String> STATES = Set.of("25P03", "25P04");

    @Override
    public boolean matches(Exchange exchange) {
        // A doCatch() asks before it has made the exception the one that was caught.
        return isTransient(
                exchange.getException() != null
                        ? exchange.getException()
                        : exchange.getProperty(Exchange.EXCEPTION_CAUGHT, Throwable.class));
    }

    /** True if the failure or one of its causes is such a {@link SQLException}. */
    public static boolean isTransient(@Nullable Throwable failure) {
        for (var cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLTransientConnectionException) {
                return true; // the pool waited in vain for a connection
            }
            if (cause instanceof SQLException sql && isTransient(sql.getSQLState())) {
                return true;
            }
        }
        return false;
    }

    private static boolean isTransient(@Nullable String state) {
        return state != null && (STATES.contains(state) || CLASSES.contains(state.substring(0, 2)));
    }
}
