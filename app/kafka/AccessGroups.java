package app.kafka;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.camel.Body;
import org.apache.kafka.common.KafkaException;
import processors.consuming.Reach;

/** The groups that read the access events: how far each of them has got. */
public final class AccessGroups implements AutoCloseable {

    private final Map<String, GroupReach> reaches = new LinkedHashMap<>();

    /** @param clientSettings security and other settings that every client of Kafka takes, by their Kafka names */
    public AccessGroups(String brokers, Map<String, String> clientSettings, String topic, List<String> groups) {
        groups.forEach(group -> reaches.put(group, new GroupReach(brokers, clientSettings, topic, group)));
    }

    public List<String> names() {
        return List.copyOf(reaches.keySet());
    }

    /** @throws KafkaException if Kafka does not say */
    public Reach reach(@Body String group) {
        return reaches.get(group).get();
    }

    @Override
    public void close() {
        reaches.values().forEach(GroupReach::close);
    }
}
