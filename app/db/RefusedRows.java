package app.db;

import java.util.UUID;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;

/**
 * Which row a constraint has refused: PostgreSQL quotes it, its key first, in the detail of the error, which no log shows.
 * A hint and no more, for not every refusal has one.
 */
public final class RefusedRows implements Function<Throwable, @Nullable UUID> {

    private static final Pattern KEY = Pattern.compile("\\((\\p{XDigit}{8}(?:-\\p{XDigit}{4}){3}-\\p{XDigit}{12})[,)]");

    @Override
    public @Nullable UUID apply(Throwable failure) {
        for (var cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof PSQLException refusal && refusal.getServerErrorMessage() != null) {
                var detail = refusal.getServerErrorMessage().getDetail();
                var key = KEY.matcher(detail == null ? "" : detail);
                return key.find() ? UUID.fromString(key.group(1)) : null;
            }
        }
        return null;
    }
}
