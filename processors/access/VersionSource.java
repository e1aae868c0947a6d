package processors.access;

import java.util.UUID;
import java.util.regex.Pattern;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;
import processors.consuming.Metadata;

/**
 * What an event's Version counts (EVT-08): a user's assignments, or the changes of one role. Versions of different sources
 * cannot be compared.
 *
 * @param name as the header VersionSource and the column {@code versions} have it
 */
public record VersionSource(String name) {

    /** The versions of a user's assignments. */
    public static final VersionSource ASSIGNMENT = new VersionSource("assignment");

    private static final String HEADER = "VersionSource";
    private static final String ROLE = "role:";

    /** A source may come that this version does not know: its versions are compared all the same. */
    private static final Pattern NAME =
            Pattern.compile("[a-z][a-z-]{0,30}(:\\p{XDigit}{8}(-\\p{XDigit}{4}){3}-\\p{XDigit}{12})?");

    /** What the header says; null where it is missing or unreadable. */
    public static @Nullable VersionSource of(Headers headers) {
        var text = Metadata.text(headers, HEADER);
        return text != null && NAME.matcher(text).matches() ? new VersionSource(text) : null;
    }

    /** The role whose changes are counted; null for every other source. */
    public @Nullable UUID roleId() {
        return name.startsWith(ROLE) ? Metadata.uuid(name.substring(ROLE.length())) : null;
    }
}
