package processors.consuming;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The value of a record: a JSON object, with what its contract asks for. Every rejection bears the code that it was made
 * with; no reason quotes what it is about.
 */
public final class EventValue {

    private static final ObjectReader JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build()
            .readerFor(JsonNode.class);

    private final JsonNode json;
    private final String code;

    private EventValue(JsonNode json, String code) {
        this.json = json;
        this.code = code;
    }

    /**
     * @param code of every rejection
     * @throws RejectedException if the value is not a JSON object
     */
    public static EventValue of(byte @Nullable [] value, String code) {
        if (value == null || value.length == 0) {
            throw new RejectedException(code, "there is no value");
        }
        JsonNode json;
        try {
            json = JSON.readTree(value);
        } catch (JsonProcessingException e) {
            var at = e.getLocation();
            throw new RejectedException(
                    code,
                    "the value is not JSON"
                            + (at == null || at.getByteOffset() < 0
                                    ? ""
                                    : ", from byte " + at.getByteOffset() + " on"));
        } catch (IOException e) {
            // What Jackson makes of bytes that no character begins with.
            throw new RejectedException(code, "the value is not UTF-8");
        }
        if (json == null || !json.isObject()) {
            throw new RejectedException(code, "the value is not a JSON object");
        }
        return new EventValue(json, code);
    }

    /** A field, whatever it is; null where it is missing or null. */
    public @Nullable JsonNode get(String field) {
        return get(json, field);
    }

    public static @Nullable JsonNode get(JsonNode parent, String field) {
        var node = parent.get(field);
        return node == null || node.isNull() ? null : node;
    }

    /** @throws RejectedException if the field is missing, null or empty */
    public JsonNode required(String field) {
        return required(json, field, field);
    }

    /**
     * @param path of the field, for the rejection
     * @throws RejectedException if the field is missing, null or empty
     */
    public JsonNode required(JsonNode parent, String field, String path) {
        var node = parent.get(field);
        if (node == null) {
            throw rejected(path + " is missing");
        }
        if (node.isNull()) {
            throw rejected(path + " is null");
        }
        if (node.isTextual() && node.asText().isEmpty()) {
            throw rejected(path + " is empty");
        }
        return node;
    }

    /** @throws RejectedException if it is not a UUID */
    public UUID uuid(JsonNode node, String path) {
        var uuid = node.isTextual() ? Metadata.uuid(node.asText()) : null;
        if (uuid == null) {
            throw rejected(path + " is not a UUID");
        }
        return uuid;
    }

    /** Null where the field is missing or null. */
    public @Nullable UUID optionalUuid(JsonNode parent, String field, String path) {
        var node = get(parent, field);
        return node == null ? null : uuid(node, path);
    }

    public @Nullable UUID optionalUuid(String field) {
        return optionalUuid(json, field, field);
    }

    /** Null where it is not a whole number from 1 to {@link Long#MAX_VALUE}. */
    public static @Nullable Long version(@Nullable JsonNode node) {
        return node != null && node.isIntegralNumber() && node.canConvertToLong() && node.asLong() >= 1
                ? node.asLong()
                : null;
    }

    /** The same text, if PostgreSQL can hold it. */
    public String storable(String text, String path) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == 0) {
                throw rejected(path + " holds the character NUL");
            }
            if (Character.isSurrogate(c)) {
                boolean pair = Character.isHighSurrogate(c)
                        && i + 1 < text.length()
                        && Character.isLowSurrogate(text.charAt(i + 1));
                if (!pair) {
                    throw rejected(path + " holds half a character");
                }
                i++;
            }
        }
        return text;
    }

    public RejectedException rejected(String reason) {
        return new RejectedException(code, reason);
    }
}
