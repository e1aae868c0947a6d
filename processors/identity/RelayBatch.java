package processors.identity;

import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The rows of one lane that go to Kafka in one transaction, in id order. */
public record RelayBatch(List<OutboxRow> rows) {

    /** A batch without rows: the lane is empty, or somebody else's. */
    public static final RelayBatch NONE = new RelayBatch(List.of());

    public static RelayBatch of(List<OutboxRow> rows) {
        return new RelayBatch(rows);
    }

    public int size() {
        return rows.size();
    }

    /** The highest id; the batch must not be empty. */
    public long lastId() {
        return rows.get(rows.size() - 1).id();
    }

    /** For the statement that deletes what Kafka has committed. */
    public long[] ids() {
        return rows.stream().mapToLong(OutboxRow::id).toArray();
    }

    /** From MessageId to row id, to find the row of a record that Kafka refused. */
    public Map<String, Long> idsByMessageId() {
        return rows.stream().collect(Collectors.toMap(row -> row.messageId().toString(), OutboxRow::id, (a, b) -> a));
    }
}
