package app.kafka;

import java.util.List;
import java.util.Map;
import org.apache.camel.Body;
import org.apache.kafka.common.KafkaException;

/** The groups that read the access events, and how far behind each of them is. */
public final class AccessGroups implements AutoCloseable {

    /**
     * Behind the last record of a partition stand the marks of transactions, which nobody receives and nobody commits: one of
     * each of the relay's lanes at most. Only who may read the topic can tell them from records, and identity may not: so few
     * do not count.
     */
    private static final int MOST_MARKS = 4;

    private final List<String> groups;
    private final TopicOffsets offsets;

    public AccessGroups(List<String> groups, TopicOffsets offsets) {
        this.groups = List.copyOf(groups);
        this.offsets = offsets;
    }

    public List<String> names() {
        return groups;
    }

    /**
     * Records that the group has not handled, and the marks among them; a group without a position has the whole topic before
     * it. 0 when everything is handled, and while no partition has more left than may be marks.
     *
     * @throws KafkaException if Kafka does not say
     */
    public long lag(@Body String group) {
        var committed = offsets.committed(List.of(group)).getOrDefault(group, Map.of());
        var begins = offsets.begins();
        return offsets.ends().entrySet().stream()
                .mapToLong(end -> end.getValue()
                        - Math.max(committed.getOrDefault(end.getKey(), 0L), begins.getOrDefault(end.getKey(), 0L)))
                .filter(behind -> behind > MOST_MARKS)
                .sum();
    }

    @Override
    public void close() {
        offsets.close();
    }
}
