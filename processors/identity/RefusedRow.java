package processors.identity;

/**
 * A row that Kafka can never take.
 *
 * @param id the row
 * @param reason what Kafka said, one line
 */
public record RefusedRow(long id, String reason) {}
