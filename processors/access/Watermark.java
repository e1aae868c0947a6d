package processors.access;

import com.fasterxml.jackson.databind.JsonNode;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import processors.consuming.EventValue;

/**
 * What the relay says of itself: everything that was committed in identity before a time stands in the topic before these
 * positions.
 *
 * @param completeUntil identity's time
 * @param positions of every partition of the topic
 */
public record Watermark(OffsetDateTime completeUntil, Map<Integer, Long> positions) {

    private static final String INVALID = "ACCESS_CACHE_INVALID_WATERMARK";

    /** @throws processors.consuming.RejectedException if it is none */
    static Watermark of(byte @Nullable [] value) {
        var json = EventValue.of(value, INVALID);
        var positions = new HashMap<Integer, Long>();
        var field = json.required("Positions");
        try {
            for (var position : field.properties()) {
                positions.put(Integer.parseInt(position.getKey()), offset(position.getValue()));
            }
            return new Watermark(
                    OffsetDateTime.parse(json.required("CompleteUntil").asText()), positions);
        } catch (DateTimeException | NumberFormatException e) {
            throw json.rejected("CompleteUntil or Positions cannot be read");
        }
    }

    private static long offset(JsonNode node) {
        if (!node.isIntegralNumber() || !node.canConvertToLong()) {
            throw new NumberFormatException();
        }
        return node.asLong();
    }

    /** Whether everything before the positions is handled. */
    boolean isReached(Map<Integer, Long> reach) {
        return positions.entrySet().stream()
                .allMatch(position -> reach.getOrDefault(position.getKey(), -1L) >= position.getValue());
    }
}
