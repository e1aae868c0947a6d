package processors.identity;

import java.util.List;

/** The rows of one lane that go to Kafka in one transaction, in id order. */
public record RelayBatch(List<OutboxRow> rows) {

    /** A batch without rows: the lane is empty, or somebody else's. */
    public static final RelayBatch NONE = new RelayBatch(List.of());

    public static RelayBatch of(List<OutboxRow> rows) {
        return new RelayBatch(rows);
    }

    /** Whether there may be more rows behind this batch. */
    public static boolean full(RelayBatch batch, LaneScan scan) {
        return batch.size() == scan.rows() || batch.bytes() >= scan.bytes();
    }

    public int size() {
        return rows.size();
    }

    private long bytes() {
        return rows.stream().mapToLong(OutboxRow::bytes).sum();
    }

    /** The highest id; the batch must not be empty. */
    public long lastId() {
        return rows.get(rows.size() - 1).id();
    }

    /** For the statement that deletes what Kafka has committed. */
    public long[] ids() {
        return rows.stream().mapToLong(OutboxRow::id).toArray();
    }

    /** The row behind a record that Kafka can never take; more than one if the MessageId is not unique. */
    public List<RefusedRow> refused(String messageId, String reason) {
        return rows.stream()
                .filter(row -> row.messageId().toString().equals(messageId))
                .map(row -> new RefusedRow(row.id(), row.correlationId(), reason))
                .toList();
    }
}
