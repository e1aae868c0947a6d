package processors.news;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import processors.consuming.EventValue;
import processors.consuming.RejectedException;

/**
 * Reads the value of a record (spec news-identity-users.md, "Входные данные"): everything that the table would refuse is
 * found here, before the database is asked. Phone, e-mail and unknown fields are not looked at (REP-02). No reason quotes
 * what it is about.
 */
final class UserEvents {

    static final String UPSERTED = "pin.identity.user-upserted";
    static final String BLOCKED = "pin.identity.user-blocked";

    static final String INVALID_PAYLOAD = "NEWS_REPLICA_INVALID_PAYLOAD";
    static final String MAPPING_FAILED = "NEWS_REPLICA_MAPPING_FAILED";

    /** What {@code news.author_replicas.display_name} takes, in code points. */
    static final int MOST_DISPLAY_NAME = 384;

    private static final UUID EMPTY = new UUID(0, 0);

    private UserEvents() {}

    static boolean isKnown(@Nullable String eventType) {
        return UPSERTED.equals(eventType) || BLOCKED.equals(eventType);
    }

    /**
     * @param eventType one that {@link #isKnown is known}
     * @throws RejectedException if the value breaks the contract, or cannot be mapped
     */
    static UserEvent read(String eventType, byte @Nullable [] value) {
        var json = EventValue.of(value, INVALID_PAYLOAD);
        // Contract first, mapping second: a record that breaks both has broken the contract.
        var userId = userId(json);
        if (eventType.equals(BLOCKED)) {
            return new UserEvent.Blocked(userId, version(json));
        }
        var name = json.required("Name");
        var firstName = name.isObject() ? json.required(name, "FirstName", "Name.FirstName") : name;
        var type = json.required("Type");
        var status = json.required("Status");
        long version = version(json);
        var companyId = json.optionalUuid("CompanyId");
        if (name.isObject() && firstName.isTextual() && trim(firstName.asText()).isEmpty()) {
            throw json.rejected("Name.FirstName is blank");
        }
        if (!name.isObject()) {
            throw unmapped("Name is not an object");
        }
        var first = json.storable(text(firstName, "Name.FirstName"), "Name.FirstName");
        var last = optionalText(name, "LastName");
        if (last != null) {
            json.storable(last, "Name.LastName");
        }
        optionalText(name, "MiddleName"); // never stored
        var userType = text(type, "Type");
        var userStatus = text(status, "Status");
        var whole = trim(last == null ? first : first + " " + last);
        var displayName = cut(whole);
        return new UserEvent.Upserted(
                userId,
                version,
                displayName,
                displayName.length() < whole.length(),
                PostAuthorType.of(userType),
                companyId,
                AuthorStatus.of(userStatus),
                unknown(userType, userStatus));
    }

    private static UUID userId(EventValue value) {
        var userId = value.uuid(value.required("UserId"), "UserId");
        if (userId.equals(EMPTY)) {
            throw value.rejected("UserId is the empty UUID");
        }
        return userId;
    }

    private static long version(EventValue value) {
        var version = EventValue.version(value.required("Version"));
        if (version == null) {
            throw value.rejected("Version is not a whole number from 1 to " + Long.MAX_VALUE);
        }
        return version;
    }

    private static @Nullable String optionalText(JsonNode name, String field) {
        var node = EventValue.get(name, field);
        return node == null ? null : text(node, "Name." + field);
    }

    private static String text(JsonNode node, String path) {
        if (!node.isTextual()) {
            throw unmapped(path + " is not a string");
        }
        return node.asText();
    }

    /** Without white space at both ends, non-breaking spaces included. */
    private static String trim(String text) {
        int from = 0;
        int to = text.length();
        while (from < to && isSpace(text.charAt(from))) {
            from++;
        }
        while (to > from && isSpace(text.charAt(to - 1))) {
            to--;
        }
        return text.substring(from, to);
    }

    private static boolean isSpace(char c) {
        return Character.isWhitespace(c) || Character.isSpaceChar(c);
    }

    /** At most as many code points as the column takes, and never half of one (REP-08). */
    private static String cut(String text) {
        return text.codePointCount(0, text.length()) <= MOST_DISPLAY_NAME
                ? text
                : trim(text.substring(0, text.offsetByCodePoints(0, MOST_DISPLAY_NAME)));
    }

    private static List<String> unknown(String userType, String userStatus) {
        boolean typeKnown = PostAuthorType.knows(userType);
        boolean statusKnown = AuthorStatus.knows(userStatus);
        if (typeKnown && statusKnown) {
            return List.of();
        }
        var fields = new ArrayList<String>(2);
        if (!typeKnown) {
            fields.add("Type");
        }
        if (!statusKnown) {
            fields.add("Status");
        }
        return List.copyOf(fields);
    }

    private static RejectedException unmapped(String reason) {
        return new RejectedException(MAPPING_FAILED, reason);
    }
}
