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
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.KafkaFuture;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupAuthorizationException;
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
        return offsets(OffsetSpec.latest());
    }

    /**
     * Where the partitions begin: what was before is kept no longer.
     *
     * @throws KafkaException if Kafka does not say
     */
    public synchronized Map<Integer, Long> begins() {
        return offsets(OffsetSpec.earliest());
    }

    private Map<Integer, Long> offsets(OffsetSpec which) {
        int partitions = ask(admin -> admin.describeTopics(List.of(topic)).allTopicNames())
                .get(topic)
                .partitions()
                .size();
        var asked = new HashMap<TopicPartition, OffsetSpec>();
        for (int partition = 0; partition < partitions; partition++) {
            asked.put(new TopicPartition(topic, partition), which);
        }
        return ask(admin -> admin.listOffsets(asked).all()).entrySet().stream()
                .collect(Collectors.toMap(
                        offset -> offset.getKey().partition(),
                        offset -> offset.getValue().offset()));
    }

    /**
     * How far groups are, by partition; without those partitions in which a group has not committed anything.
     *
     * @throws KafkaException if Kafka does not say it of each of them
     */
    public synchronized Map<String, Map<Integer, Long>> committed(Collection<String> groups) {
        var everything =
                groups.stream().collect(Collectors.toMap(group -> group, group -> new ListConsumerGroupOffsetsSpec()));
        return committed(groups, everything).entrySet().stream()
                .collect(Collectors.toMap(
                        Map.Entry::getKey,
                        group -> group.getValue().entrySet().stream()
                                .filter(offset -> offset.getKey().topic().equals(topic) && offset.getValue() != null)
                                .collect(Collectors.toMap(
                                        offset -> offset.getKey().partition(),
                                        offset -> offset.getValue().offset()))));
    }

    private Map<String, Map<TopicPartition, OffsetAndMetadata>> committed(
            Collection<String> groups, Map<String, ListConsumerGroupOffsetsSpec> everything) {
        try {
            return ask(admin -> admin.listConsumerGroupOffsets(everything).all());
        } catch (KafkaException e) {
            if (e.getCause() != null && e.getCause().getCause() instanceof GroupAuthorizationException) {
                // Kafka does not say which right.
                throw new KafkaException("no right to DESCRIBE the groups " + groups);
            }
            throw e;
        }
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
