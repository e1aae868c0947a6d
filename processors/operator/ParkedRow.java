package processors.operator;

import java.time.OffsetDateTime;

/** An event that Kafka can never take: its row in the outbox, and not whom it is about. */
public record ParkedRow(long id, OffsetDateTime since, String reason) {}
