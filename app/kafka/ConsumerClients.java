package app.kafka;

import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.apache.camel.component.kafka.KafkaClientFactory;
import org.apache.camel.component.kafka.KafkaConfiguration;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import processors.failures.Failures;

/** The clients of consuming routes: their consumers, and the producers of their dead letters. */
public final class ConsumerClients implements KafkaClientFactory {

    /** As large as a record may ever be; what a topic takes is for the topic to say. */
    private static final int MOST_BYTES = 64 * 1024 * 1024;

    private final String brokers;
    private final Map<String, String> clientSettings;
    private final BiConsumer<String, Throwable> observer;
    private final BiConsumer<String, Set<TopicPartition>> loss;
    private final Map<String, String> failures = new ConcurrentHashMap<>();

    /**
     * @param clientSettings security and other settings that every client of Kafka takes, by their Kafka names
     * @param observer hears of a consumer, by its client id, that Kafka does not let read
     * @param loss hears of a consumer, by its client id, that has missed records of partitions; until it returns without an
     *     exception, the consumer does not go on
     */
    public ConsumerClients(
            String brokers,
            Map<String, String> clientSettings,
            BiConsumer<String, Throwable> observer,
            BiConsumer<String, Set<TopicPartition>> loss) {
        this.loss = loss;
        this.brokers = brokers;
        this.clientSettings = Map.copyOf(clientSettings);
        this.observer = observer;
    }

    /** Why the consumer with this client id cannot read at present; null when it can. */
    public @Nullable String failure(String clientId) {
        return failures.get(clientId);
    }

    @Override
    @SuppressWarnings("rawtypes")
    public Consumer getConsumer(Properties endpointProperties) {
        var properties = with(endpointProperties);
        var clientId = properties.getProperty(ConsumerConfig.CLIENT_ID_CONFIG);
        try {
            return new PatientConsumer(
                    properties,
                    failures.containsKey(clientId),
                    failure -> {
                        if (failure == null) {
                            failures.remove(clientId);
                        } else {
                            failed(clientId, failure);
                        }
                    },
                    partitions -> loss.accept(clientId, partitions));
        } catch (KafkaException e) {
            // A key store that is not there, for example: Camel tries again, and says nothing.
            failed(clientId, e);
            throw e;
        }
    }

    private void failed(String clientId, Throwable failure) {
        failures.put(clientId, Failures.describe(failure));
        observer.accept(clientId, failure);
    }

    /**
     * Whatever the endpoints or Camel's properties say: what is acknowledged is on every replica, in its order. Once in a while
     * twice: an idempotent producer that Kafka has refused, for want of a right or of a password, fails for ever after, also
     * when it is granted ({@code RefusedRightsTest} pins it), and who reads what is sent here takes it twice as once.
     */
    @Override
    @SuppressWarnings("rawtypes")
    public Producer getProducer(Properties endpointProperties) {
        var properties = with(endpointProperties);
        properties.put(ProducerConfig.ACKS_CONFIG, "all");
        properties.put(ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG, "false");
        properties.put(ProducerConfig.MAX_IN_FLIGHT_REQUESTS_PER_CONNECTION, "1");
        properties.put(ProducerConfig.MAX_REQUEST_SIZE_CONFIG, MOST_BYTES);
        properties.put(ProducerConfig.BUFFER_MEMORY_CONFIG, 2L * MOST_BYTES);
        return new KafkaProducer<>(properties);
    }

    private Properties with(Properties endpointProperties) {
        var properties = new Properties();
        properties.putAll(endpointProperties);
        properties.putAll(clientSettings);
        return properties;
    }

    @Override
    public String getBrokers(KafkaConfiguration configuration) {
        return brokers;
    }
}
