package processors.identity;

import java.util.UUID;

/**
 * A row that Kafka can never take.
 *
 * @param id the row
 * @param correlationId of its event
 * @param reason what Kafka said, one line
 */
public record RefusedRow(long id, UUID correlationId, String reason) {}
