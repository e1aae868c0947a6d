package processors.failures;

import java.sql.SQLException;
import java.util.Set;
import org.apache.camel.Exchange;
import org.apache.camel.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Whether the database refuses the data of a statement: SQLSTATE class 22 (data exception) or 23 (constraint). Such a
 * failure concerns one record and does not pass; every other one waits (design.md, decision 6).
 */
public final class DataError implements Predicate {

    private static final Set<String> CLASSES = Set.of("22", "23");

    @Override
    public boolean matches(Exchange exchange) {
        // A doCatch() asks before it has made the exception the one that was caught.
        return sqlState(
                        exchange.getException() != null
                                ? exchange.getException()
                                : exchange.getProperty(Exchange.EXCEPTION_CAUGHT, Throwable.class))
                != null;
    }

    /** The SQLSTATE with which the database refused the data; null for every other failure. */
    public static @Nullable String sqlState(@Nullable Throwable failure) {
        for (var cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql
                    && sql.getSQLState() != null
                    && sql.getSQLState().length() == 5
                    && CLASSES.contains(sql.getSQLState().substring(0, 2))) {
                return sql.getSQLState();
            }
        }
        return null;
    }
}
