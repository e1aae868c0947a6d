package processors.consuming;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.UUID;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * The metadata of an event, from the headers of its record (contract.md, "Kafka"; REP-03). Of a header that stands there
 * more than once, the last one counts, as Kafka's clients have it.
 *
 * @param createdAt microseconds, as PostgreSQL keeps them
 */
public record Metadata(UUID messageId, String eventType, OffsetDateTime createdAt) {

    /** The ContractVersion that this version knows. */
    public static final String CONTRACT_VERSION = "1";

    /**
     * @param code of the rejection
     * @throws RejectedException if MessageId, EventType or CreatedAt is missing or unreadable
     */
    public static Metadata of(Headers headers, String code) {
        var messageId = uuid(required(headers, "MessageId", code));
        if (messageId == null) {
            throw new RejectedException(code, "header MessageId is not a UUID");
        }
        return new Metadata(
                messageId, required(headers, "EventType", code), time(required(headers, "CreatedAt", code), code));
    }

    /** Null where the header is missing, empty or not UTF-8. */
    public static @Nullable String text(Headers headers, String name) {
        var header = headers.lastHeader(name);
        if (header == null || header.value() == null || header.value().length == 0) {
            return null;
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(header.value()))
                    .toString();
        } catch (CharacterCodingException e) {
            return null;
        }
    }

    /** Null where the text is not a UUID in its hyphenated form; {@link UUID#fromString} takes much that is none. */
    public static @Nullable UUID uuid(@Nullable String text) {
        if (text == null || text.length() != 36) {
            return null;
        }
        try {
            var uuid = UUID.fromString(text);
            return uuid.toString().equalsIgnoreCase(text) ? uuid : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static String required(Headers headers, String name, String code) {
        var text = text(headers, name);
        if (text == null) {
            throw new RejectedException(
                    code,
                    "header " + name + (headers.lastHeader(name) == null ? " is missing" : " is empty or not UTF-8"));
        }
        return text;
    }

    private static OffsetDateTime time(String text, String code) {
        try {
            var time = OffsetDateTime.parse(text)
                    // Java takes offsets that PostgreSQL does not.
                    .withOffsetSameInstant(ZoneOffset.UTC)
                    .truncatedTo(ChronoUnit.MICROS);
            if (time.getYear() >= 1 && time.getYear() <= 9999) {
                return time;
            }
        } catch (DateTimeException e) {
            // said below
        }
        throw new RejectedException(code, "header CreatedAt is not a time with an offset");
    }
}
