package processors.identity;

import java.nio.charset.StandardCharsets;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.apache.camel.Processor;
import org.apache.camel.component.kafka.KafkaConstants;
import org.apache.camel.support.DefaultMessage;

/**
 * Makes the records of a batch: key, value and headers as contract.md fixes them. A list with one {@link Message} a
 * record is what camel-kafka sends with a key and headers of its own for each.
 */
public final class AccessRecords implements Processor {

    public static final String EVENT_TYPE = "pin.identity.user-access-changed";
    public static final String CONTRACT_VERSION = "1";
    public static final String AGGREGATE_TYPE = "User";

    @Override
    public void process(Exchange exchange) {
        var batch = exchange.getVariable("batch", RelayBatch.class);
        var records = new ArrayList<Message>(batch.size());
        for (var row : batch.rows()) {
            records.add(record(exchange.getContext(), row));
        }
        exchange.getMessage().setBody(List.copyOf(records));
    }

    private static Message record(CamelContext context, OutboxRow row) {
        var message = new DefaultMessage(context);
        var userId = row.userId().toString();
        message.setHeader(KafkaConstants.KEY, userId.getBytes(StandardCharsets.UTF_8));
        message.setHeader("MessageId", row.messageId().toString());
        message.setHeader("EventType", EVENT_TYPE);
        message.setHeader("ContractVersion", CONTRACT_VERSION);
        message.setHeader("CreatedAt", DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(row.createdAt()));
        message.setHeader("AggregateId", userId);
        message.setHeader("AggregateType", AGGREGATE_TYPE);
        message.setHeader("CorrelationId", row.correlationId().toString());
        message.setHeader("VersionSource", row.versionSource());
        if (row.traceparent() != null) {
            message.setHeader("traceparent", row.traceparent());
        }
        message.setBody(row.payload());
        return message;
    }
}
