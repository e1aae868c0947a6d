package processors.news;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * What the database holds about the records at hand.
 *
 * @param marks idempotency keys of records that were handled
 * @param versions SourceVersion of each row; users without a row are not in it
 */
public record Known(Set<String> marks, Map<UUID, Long> versions) {

    /** Knows nothing yet. */
    public static Known nothing() {
        return new Known(new HashSet<>(), new HashMap<>());
    }
}
