package processors.consuming;

import java.util.List;
import org.apache.camel.Exchange;
import org.apache.camel.component.kafka.KafkaConstants;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;

/**
 * A record as it came, to the byte.
 *
 * @param topic the topic from which it came first; a dead letter that is replayed keeps its source
 * @param key null where the record has none
 * @param value null for a tombstone
 * @param headers in their order, duplicates included
 */
public record Received(
        String topic, int partition, long offset, byte @Nullable [] key, byte @Nullable [] value, Headers headers) {

    /** The records of one poll, in the order of each partition, from the exchanges that camel-kafka collects them in. */
    public static List<Received> ofPoll(List<Exchange> poll) {
        return poll.stream().map(Received::of).toList();
    }

    private static Received of(Exchange exchange) {
        var message = exchange.getMessage();
        return new Received(
                message.getHeader(KafkaConstants.TOPIC, String.class),
                message.getHeader(KafkaConstants.PARTITION, Integer.class),
                message.getHeader(KafkaConstants.OFFSET, Long.class),
                (byte[]) message.getHeader(KafkaConstants.KEY),
                (byte[]) message.getBody(),
                (Headers) message.getHeader(KafkaConstants.HEADERS));
    }
}
