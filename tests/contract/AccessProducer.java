package tests.contract;

import app.ContractHeaders;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.apache.camel.component.kafka.KafkaConstants;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.camel.support.DefaultExchange;
import org.jspecify.annotations.Nullable;
import processors.identity.AccessChangeReason;
import processors.identity.AccessJson;
import processors.identity.AccessRecords;
import processors.identity.AccessSnapshots;
import processors.identity.Announcement;
import processors.identity.AssignmentRow;
import processors.identity.EventVersions;
import processors.identity.OutboxRow;
import processors.identity.RelayBatch;

/** What the producer writes for the state that a golden access record describes: the only use of its code here. */
final class AccessProducer {

    private AccessProducer() {}

    /** @return the record of the same user, assignments and cause, as far as the producer decides it */
    static GoldenRecord write(GoldenRecord golden) throws JsonProcessingException {
        var announcement = new Announcement(
                "{" + golden.key() + "}",
                AccessChangeReason.valueOf(golden.json().get("ChangeReason").asText()),
                versions(golden),
                UUID.fromString(golden.headers().get("CorrelationId")));
        var event = AccessSnapshots.event(rows(golden), announcement);
        var outboxRow = new OutboxRow(
                1,
                event.userId(),
                UUID.fromString(golden.headers().get("MessageId")),
                announcement.correlationId(),
                announcement.versionSource(),
                golden.headers().get("traceparent"),
                OffsetDateTime.parse(golden.headers().get("CreatedAt")),
                AccessJson.mapper().writeValueAsBytes(event),
                null);
        var exchange = new DefaultExchange(new DefaultCamelContext());
        exchange.setVariable("batch", new RelayBatch(List.of(outboxRow)));
        new AccessRecords("unused").process(exchange);
        var record = (Message) exchange.getMessage().getBody(List.class).get(0);
        return new GoldenRecord(
                golden.description(),
                golden.topic(),
                text(record.getHeader(KafkaConstants.KEY, byte[].class)),
                sentHeaders(record, exchange),
                text(record.getBody(byte[].class)));
    }

    private static EventVersions versions(GoldenRecord golden) {
        long version = golden.json().get("Version").asLong();
        var source = golden.headers().get("VersionSource");
        return source.startsWith("role:")
                ? new EventVersions.OfRole(UUID.fromString(source.substring("role:".length())), version)
                : new EventVersions.OfAssignments(Map.of(UUID.fromString(golden.key()), version));
    }

    /** As load-access.sql returns them. */
    private static List<AssignmentRow> rows(GoldenRecord golden) {
        var user = UUID.fromString(golden.key());
        var company = uuid(golden.json(), "CompanyId");
        var rows = new ArrayList<AssignmentRow>();
        for (var assignment : golden.assignments()) {
            rows.add(new AssignmentRow(
                    user,
                    company,
                    uuid(assignment, "AssignmentId"),
                    uuid(assignment, "RoleId"),
                    assignment.get("RoleCode").asText(),
                    assignment.get("ScopeType").asText(),
                    uuid(assignment, "ScopeOrganizationId"),
                    uuid(assignment, "ScopeProjectGroupId"),
                    uuid(assignment, "ScopeProjectId"),
                    assignment.get("ExpiresAt").isNull()
                            ? null
                            : OffsetDateTime.parse(assignment.get("ExpiresAt").asText())));
        }
        if (rows.isEmpty()) {
            rows.add(new AssignmentRow(user, company, null, null, null, null, null, null, null, null));
        }
        return rows;
    }

    private static Map<String, String> sentHeaders(Message record, Exchange exchange) {
        var filter = new ContractHeaders();
        var sent = new TreeMap<String, String>();
        record.getHeaders().forEach((name, value) -> {
            if (!filter.applyFilterToCamelHeaders(name, value, exchange)) {
                sent.put(name, (String) value);
            }
        });
        return sent;
    }

    private static @Nullable UUID uuid(JsonNode json, String field) {
        return json.get(field).isNull() ? null : UUID.fromString(json.get(field).asText());
    }

    private static String text(byte[] utf8) {
        return new String(utf8, StandardCharsets.UTF_8);
    }
}
