package processors.identity;

import java.time.OffsetDateTime;
import java.util.Map;
import java.util.TreeMap;
import org.apache.camel.Body;
import org.apache.camel.Variable;

/**
 * What the relay says of itself: everything that was committed in the database before a time stands in the events' topic
 * before these positions. A consumer that has got there has applied all of it, also where nothing happens for a while.
 *
 * @param completeUntil the database's time
 * @param positions of every partition of the topic
 */
public record Watermark(OffsetDateTime completeUntil, Map<Integer, Long> positions) {

    public Watermark {
        positions = Map.copyOf(positions);
    }

    /** @param ends of the topic, asked for after {@code completeUntil} */
    public static Watermark of(@Variable("completeUntil") OffsetDateTime completeUntil, @Body Map<Integer, Long> ends) {
        return new Watermark(completeUntil, ends);
    }

    /** As the topic of watermarks has it: {@code {"CompleteUntil":"…","Positions":{"0":17,…}}}. */
    public String json() {
        var json =
                new StringBuilder("{\"CompleteUntil\":\"").append(completeUntil).append("\",\"Positions\":{");
        var comma = "";
        for (var position : new TreeMap<>(positions).entrySet()) {
            json.append(comma)
                    .append('"')
                    .append(position.getKey())
                    .append("\":")
                    .append(position.getValue());
            comma = ",";
        }
        return json.append("}}").toString();
    }
}
