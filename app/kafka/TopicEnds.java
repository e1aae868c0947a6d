package app.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** Where the partitions of a topic end: behind the last record, whether or not a transaction holds it back. */
public final class TopicEnds implements AutoCloseable {

    private static final int PATIENCE_MILLIS = 3_000;

    private final Map<String, Object> client;
    private final String topic;
    private @Nullable Admin admin;

    /** @param clientSettings security and other settings that every client of Kafka takes, by their Kafka names */
    public TopicEnds(String brokers, Map<String, String> clientSettings, String topic) {
        this.topic = topic;
        client = new HashMap<>(clientSettings);
        client.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, brokers);
        client.put(AdminClientConfig.CLIENT_ID_CONFIG, "access-topic-ends");
        client.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, PATIENCE_MILLIS);
        client.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, PATIENCE_MILLIS);
    }

    public String topic() {
        return topic;
    }

    /** @throws KafkaException if Kafka does not say */
    public synchronized Map<Integer, Long> get() {
        if (admin == null) {
            admin = Admin.create(client);
        }
        try {
            int partitions = admin.describeTopics(List.of(topic))
                    .allTopicNames()
                    .get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS)
                    .get(topic)
                    .partitions()
                    .size();
            var latest = new HashMap<TopicPartition, OffsetSpec>();
            for (int partition = 0; partition < partitions; partition++) {
                latest.put(new TopicPartition(topic, partition), OffsetSpec.latest());
            }
            return admin.listOffsets(latest).all().get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS).entrySet().stream()
                    .collect(Collectors.toMap(
                            end -> end.getKey().partition(),
                            end -> end.getValue().offset()));
        } catch (ExecutionException | TimeoutException e) {
            // A client that is kept would reconnect, and log, for as long as Kafka is away.
            close();
            throw new KafkaException("the ends of topic " + topic + " are not known", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaException("stopping", e);
        }
    }

    @Override
    public synchronized void close() {
        if (admin != null) {
            admin.close(Duration.ZERO);
            admin = null;
        }
    }
}
