package processors.news;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import processors.consuming.Metadata;
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

    private static final ObjectReader JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build()
            .readerFor(JsonNode.class);
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
        var json = json(value);
        // Contract first, mapping second: a record that breaks both has broken the contract.
        var userId = userId(json);
        if (eventType.equals(BLOCKED)) {
            return new UserEvent.Blocked(userId, version(json));
        }
        var name = required(json, "Name", "Name");
        var firstName = name.isObject() ? required(name, "FirstName", "Name.FirstName") : name;
        var type = required(json, "Type", "Type");
        var status = required(json, "Status", "Status");
        long version = version(json);
        var companyId = companyId(json);
        if (name.isObject() && firstName.isTextual() && trim(firstName.asText()).isEmpty()) {
            throw invalid("Name.FirstName is blank");
        }
        if (!name.isObject()) {
            throw unmapped("Name is not an object");
        }
        var first = storable(text(firstName, "Name.FirstName"), "Name.FirstName");
        var last = optionalText(name, "LastName");
        if (last != null) {
            storable(last, "Name.LastName");
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

    private static JsonNode json(byte @Nullable [] value) {
        if (value == null || value.length == 0) {
            throw invalid("there is no value");
        }
        JsonNode json;
        try {
            json = JSON.readTree(value);
        } catch (JsonProcessingException e) {
            var at = e.getLocation();
            throw invalid("the value is not JSON"
                    + (at == null || at.getByteOffset() < 0 ? "" : ", from byte " + at.getByteOffset() + " on"));
        } catch (IOException e) {
            throw invalid("the value is not UTF-8"); // what Jackson makes of bytes that no character begins with
        }
        if (json == null || !json.isObject()) {
            throw invalid("the value is not a JSON object");
        }
        return json;
    }

    private static UUID userId(JsonNode json) {
        var node = required(json, "UserId", "UserId");
        var userId = node.isTextual() ? Metadata.uuid(node.asText()) : null;
        if (userId == null) {
            throw invalid("UserId is not a UUID");
        }
        if (userId.equals(EMPTY)) {
            throw invalid("UserId is the empty UUID");
        }
        return userId;
    }

    private static long version(JsonNode json) {
        var node = required(json, "Version", "Version");
        if (!node.isIntegralNumber() || !node.canConvertToLong() || node.asLong() < 1) {
            throw invalid("Version is not a whole number from 1 to " + Long.MAX_VALUE);
        }
        return node.asLong();
    }

    private static @Nullable UUID companyId(JsonNode json) {
        var node = json.get("CompanyId");
        if (node == null || node.isNull()) {
            return null;
        }
        var companyId = node.isTextual() ? Metadata.uuid(node.asText()) : null;
        if (companyId == null) {
            throw invalid("CompanyId is not a UUID");
        }
        return companyId;
    }

    private static JsonNode required(JsonNode parent, String field, String path) {
        var node = parent.get(field);
        if (node == null) {
            throw invalid(path + " is missing");
        }
        if (node.isNull()) {
            throw invalid(path + " is null");
        }
        if (node.isTextual() && node.asText().isEmpty()) {
            throw invalid(path + " is empty");
        }
        return node;
    }

    private static @Nullable String optionalText(JsonNode name, String field) {
        var node = name.get(field);
        return node == null || node.isNull() ? null : text(node, "Name." + field);
    }

    private static String text(JsonNode node, String path) {
        if (!node.isTextual()) {
            throw unmapped(path + " is not a string");
        }
        return node.asText();
    }

    /** The same text, if PostgreSQL can hold it. */
    private static String storable(String text, String path) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == 0) {
                throw invalid(path + " holds the character NUL");
            }
            if (Character.isSurrogate(c)) {
                boolean pair = Character.isHighSurrogate(c)
                        && i + 1 < text.length()
                        && Character.isLowSurrogate(text.charAt(i + 1));
                if (!pair) {
                    throw invalid(path + " holds half a character");
                }
                i++;
            }
        }
        return text;
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

    private static RejectedException invalid(String reason) {
        return new RejectedException(INVALID_PAYLOAD, reason);
    }

    private static RejectedException unmapped(String reason) {
        return new RejectedException(MAPPING_FAILED, reason);
    }
}
