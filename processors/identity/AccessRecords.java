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
    public static final String AGGREGATE_TYPE = "User";

    private final String topicV2;

    /** @param topicV2 where the records under ContractVersion 2 go; those under 1 go where the endpoint says */
    public AccessRecords(String topicV2) {
        this.topicV2 = topicV2;
    }

    @Override
    public void process(Exchange exchange) {
        var batch = exchange.getVariable("batch", RelayBatch.class);
        var records = new ArrayList<Message>(batch.size());
        for (var row : batch.rows()) {
            if (row.payload() != null) {
                records.add(record(exchange.getContext(), row, "1", row.payload()));
            }
            if (row.payloadV2() != null) {
                var record = record(exchange.getContext(), row, "2", row.payloadV2());
                record.setHeader(KafkaConstants.OVERRIDE_TOPIC, topicV2);
                records.add(record);
            }
        }
        exchange.getMessage().setBody(List.copyOf(records));
    }

    private static Message record(CamelContext context, OutboxRow row, String contractVersion, byte[] value) {
        var message = new DefaultMessage(context);
        var userId = row.userId().toString();
        message.setHeader(KafkaConstants.KEY, userId.getBytes(StandardCharsets.UTF_8));
        message.setHeader("MessageId", row.messageId().toString());
        message.setHeader("EventType", EVENT_TYPE);
        message.setHeader("ContractVersion", contractVersion);
        message.setHeader("CreatedAt", DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(row.createdAt()));
        message.setHeader("AggregateId", userId);
        message.setHeader("AggregateType", AGGREGATE_TYPE);
        message.setHeader("CorrelationId", row.correlationId().toString());
        message.setHeader("VersionSource", row.versionSource());
        if (row.traceparent() != null) {
            message.setHeader("traceparent", row.traceparent());
        }
        message.setBody(value);
        return message;
    }
}
