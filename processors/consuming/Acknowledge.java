package processors.consuming;

import java.util.List;
import java.util.Objects;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;
import org.apache.camel.component.kafka.KafkaConstants;

/** The last step of a consuming route: commits the offsets of the poll in the variable {@code poll}. */
public final class Acknowledge implements Processor {

    @Override
    @SuppressWarnings("unchecked")
    public void process(Exchange exchange) {
        var poll = (List<Exchange>) Objects.requireNonNull(exchange.getVariable("poll"), "poll");
        OffsetCommit.commit(poll.stream()
                .map(record -> record.getMessage().getHeader(KafkaConstants.MANUAL_COMMIT, OffsetCommit.class))
                .toList());
    }
}
