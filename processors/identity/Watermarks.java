package processors.identity;

import java.time.OffsetDateTime;
import org.jspecify.annotations.Nullable;

/**
 * Until when everything is out, from two looks at the database: first until when everything is in the outbox, and up to
 * which id; later, that the outbox has let go of all of these.
 */
public final class Watermarks {

    /**
     * What complete-until.sql finds.
     *
     * @param time everything that was committed before it is in the outbox, or out; null while that cannot be said
     * @param lowest id in the outbox; null when it is empty
     * @param highest id in the outbox; null when it is empty
     */
    public record Look(
            @Nullable OffsetDateTime time,
            @Nullable Long lowest,
            @Nullable Long highest) {}

    private @Nullable Look waiting;

    /** The time before which everything is out; null where no more is known than before. */
    public synchronized @Nullable OffsetDateTime next(Look look) {
        OffsetDateTime out = null;
        if (waiting != null && waiting.highest() != null && isBehind(look, waiting.highest())) {
            out = waiting.time();
            waiting = null;
        }
        if (look.time() != null && look.highest() == null) {
            waiting = null;
            return look.time();
        }
        if (look.time() != null && waiting == null) {
            waiting = look;
        }
        return out;
    }

    private static boolean isBehind(Look look, long id) {
        return look.lowest() == null || look.lowest() > id;
    }
}
