package processors.consuming;

import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Set;
import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.header.internals.RecordHeaders;

/**
 * A record that can never be applied as it is, on its way to the dead-letter topic (REP-16): key, value and headers of
 * its source, and what is added. What is added is bounded ({@link #MOST_BYTES_ADDED}).
 *
 * @param whole false when the source does not fit into the dead-letter topic: then the letter holds no value and only the
 *     headers of the contract, and the record itself has to be looked up at its source
 */
public record DeadLetter(Received source, Rejection rejection, OffsetDateTime at, boolean whole) {

    public static final String CODE = "DeadLetterCode";
    public static final String REASON = "DeadLetterReason";
    public static final String TOPIC = "DeadLetterTopic";
    public static final String PARTITION = "DeadLetterPartition";
    public static final String OFFSET = "DeadLetterOffset";
    public static final String AT = "DeadLetterAt";

    /** The dead-letter topic's max.message.bytes must be larger than the source's by so much. */
    public static final int MOST_BYTES_ADDED = 1_024;

    /** How a letter without its value says so, in front of the reason. */
    public static final String NOT_WHOLE = "left out, being too large for this topic: look it up at its source; ";

    private static final List<String> ADDED = List.of(CODE, REASON, TOPIC, PARTITION, OFFSET, AT);
    private static final Set<String> CONTRACT = Set.of(
            "MessageId",
            "EventType",
            "ContractVersion",
            "CreatedAt",
            "AggregateId",
            "AggregateType",
            "CorrelationId",
            "traceparent");
    private static final int MOST_REASON = 300;
    private static final int MOST_HEADER = 256;

    /** The same letter, small enough for any topic. */
    public DeadLetter withoutValue() {
        return new DeadLetter(source, rejection, at, false);
    }

    /** Key of the letter's record. */
    public byte[] key() {
        var key = source.key();
        return key == null || (!whole && key.length > MOST_HEADER) ? null : key;
    }

    /** Value of the letter's record. */
    public byte[] value() {
        return whole ? source.value() : null;
    }

    /** Adds the letter's headers: those of the source first, in their order, then what is added. */
    public void addHeaders(Headers headers) {
        for (var header : source.headers()) {
            if (whole
                    || (CONTRACT.contains(header.key())
                            && header.value() != null
                            && header.value().length <= MOST_HEADER)) {
                headers.add(header);
            }
        }
        var reason = (whole ? "" : NOT_WHOLE) + rejection.reason();
        add(headers, CODE, rejection.code());
        add(headers, REASON, reason.length() > MOST_REASON ? reason.substring(0, MOST_REASON) : reason);
        add(headers, TOPIC, source.topic());
        add(headers, PARTITION, Integer.toString(source.partition()));
        add(headers, OFFSET, Long.toString(source.offset()));
        add(headers, AT, at.toString());
    }

    /** The headers of a letter's record without what was added: those of its source. */
    public static Headers sourceHeaders(Headers letter) {
        var headers = new RecordHeaders();
        // What was added stands last; a source that had headers of these names itself keeps them.
        var all = letter.toArray();
        int added = Math.max(0, all.length - ADDED.size());
        for (int i = 0; i < all.length; i++) {
            if (i < added || !ADDED.contains(all[i].key())) {
                headers.add(all[i]);
            }
        }
        return headers;
    }

    private static void add(Headers headers, String name, String value) {
        headers.add(name, value.getBytes(StandardCharsets.UTF_8));
    }
}
