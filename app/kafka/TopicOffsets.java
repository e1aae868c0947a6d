package app.kafka;

import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;

/** What Kafka says of the offsets of a topic; every question is answered, or given up, within some seconds. */
public final class TopicOffsets implements AutoCloseable {

    private static final int PATIENCE_MILLIS = 3_000;

    private final Map<String, Object> client;
    private final String topic;
    private @Nullable Admin admin;

    /** @param clientSettings security and other settings that every client of Kafka takes, by their Kafka names */
    public TopicOffsets(String brokers, Map<String, String> clientSettings, String topic) {
        this.topic = topic;
        client = new HashMap<>(clientSettings);
        client.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, brokers);
        client.put(AdminClientConfig.CLIENT_ID_CONFIG, "access-topic-offsets");
        client.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, PATIENCE_MILLIS);
        client.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, PATIENCE_MILLIS);
    }

    /**
     * Where the partitions end: behind the last record, whether or not a transaction holds it back.
     *
     * @throws KafkaException if Kafka does not say
     */
    public synchronized Map<Integer, Long> ends() {
        int partitions = ask(admin -> admin.describeTopics(List.of(topic)).allTopicNames())
                .get(topic)
                .partitions()
                .size();
        var latest = new HashMap<TopicPartition, OffsetSpec>();
        for (int partition = 0; partition < partitions; partition++) {
            latest.put(new TopicPartition(topic, partition), OffsetSpec.latest());
        }
        return ask(admin -> admin.listOffsets(latest).all()).entrySet().stream()
                .collect(Collectors.toMap(
                        end -> end.getKey().partition(), end -> end.getValue().offset()));
    }

    /**
     * How far groups are, by partition; without those partitions in which a group has not committed anything.
     *
     * @throws KafkaException if Kafka does not say it of each of them
     */
    public synchronized Map<String, Map<Integer, Long>> committed(Collection<String> groups) {
        var everything =
                groups.stream().collect(Collectors.toMap(group -> group, group -> new ListConsumerGroupOffsetsSpec()));
        return ask(admin -> admin.listConsumerGroupOffsets(everything).all()).entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey,
                        group -> group.getValue().entrySet().stream()
                                .filter(offset -> offset.getKey().topic().equals(topic) && offset.getValue() != null)
                                .collect(Collectors.toMap(
                                        offset -> offset.getKey().partition(),
                                        offset -> offset.getValue().offset()))));
    }

    private interface Question<T> {
        KafkaFuture<T> put(Admin admin);
    }

    private <T> T ask(Question<T> question) {
        if (admin == null) {
            admin = Admin.create(client);
        }
        try {
            return question.put(admin).get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            // A client that is kept would reconnect, and log, for as long as Kafka is away.
            close();
            throw new KafkaException("the offsets of topic " + topic + " are not known", e);
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
