package app.kafka;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.apache.camel.Body;
import org.apache.camel.Variable;
import org.apache.camel.component.kafka.KafkaClientFactory;
import org.apache.camel.component.kafka.KafkaConfiguration;
import org.apache.kafka.clients.consumer.Consumer;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import processors.identity.Lane;
import processors.identity.LaneScan;
import processors.identity.RefusedRow;
import processors.identity.RelayBatch;

/**
 * The transactional producers of the relay, one for each lane, behind the {@code kafka:} endpoints whose client id ends
 * in {@code -lane-N}.
 *
 * <p>What is guaranteed: a lane's producer has the lane's transactional id and is opened anew for each epoch of the lane,
 * so that whoever held the lane before can neither send nor commit any more, however long it was paused (design.md,
 * decision 4). What is not: a row that Kafka has committed and the database has not deleted yet is published again by the
 * next holder, with the same MessageId.
 */
public final class LanePublishers implements KafkaClientFactory, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(LanePublishers.class);
    private static final String LANE_CLIENT = "-lane-";

    private final UUID publisherId = UUID.randomUUID();
    private final Map<Integer, LanePublisher> lanes = new ConcurrentHashMap<>();
    private final String brokers;
    private final Map<String, String> clientSettings;
    private final String transactionalIdPrefix;
    private final int batchSize;
    private final Duration patience;
    private @Nullable Long failingSince;
    private @Nullable Long asideUntil;

    /**
     * @param clientSettings security and other settings that every client of Kafka takes, by their Kafka names
     * @param transactionalIdPrefix different for every database whose outbox goes to the same Kafka
     * @param batchSize rows in one transaction, at most
     * @param patience for how long every batch may fail before the lanes are given back
     */
    public LanePublishers(
            String brokers,
            Map<String, String> clientSettings,
            String transactionalIdPrefix,
            int batchSize,
            Duration patience) {
        this.brokers = brokers;
        this.clientSettings = Map.copyOf(clientSettings);
        this.transactionalIdPrefix = transactionalIdPrefix;
        this.batchSize = batchSize;
        this.patience = patience;
    }

    /** What Kafka must let us use, for so many lanes. */
    public List<String> transactionalIds(int laneCount) {
        return IntStream.range(0, laneCount).mapToObj(this::transactionalId).toList();
    }

    private String transactionalId(int lane) {
        return transactionalIdPrefix + LANE_CLIENT + lane;
    }

    /** This process among the publishers that share the lanes. */
    public UUID publisherId() {
        return publisherId;
    }

    /**
     * Whether to take part in the lanes: not for a while after every batch has failed for some time. The heartbeat proves
     * only that the database is reached; a publisher that alone is cut off from Kafka would hold its lanes for ever.
     */
    public synchronized boolean steppedAside() {
        long now = System.nanoTime();
        if (asideUntil != null && now - asideUntil < 0) {
            return true;
        }
        asideUntil = null;
        if (failingSince != null && now - failingSince > patience.toNanos()) {
            LOG.atWarn()
                    .addKeyValue("seconds", patience.toSeconds())
                    .log("every batch has failed, the lanes are given back");
            failingSince = null;
            asideUntil = now + 2 * patience.toNanos();
            return true;
        }
        return false;
    }

    private synchronized void failing(boolean failing) {
        if (!failing) {
            failingSince = null;
        } else if (failingSince == null) {
            failingSince = System.nanoTime();
        }
    }

    /** Closes the producers of the lanes that are no longer held. */
    public void hold(@Body List<Lane> held) {
        var numbers = held.stream().map(Lane::number).toList();
        lanes.forEach((number, publisher) -> {
            if (!numbers.contains(number)) {
                publisher.close(Duration.ZERO);
            }
        });
    }

    /** Whether the lane has something to do: rows to publish, or a producer to open before the first rows come. */
    public boolean needsRun(@Body Lane lane) {
        return lane.hasRows() || !publisher(lane).isOpenFor(lane.epoch());
    }

    /**
     * Makes sure that the lane's producer is the one of this epoch, fencing all before it.
     *
     * @return what of the lane to read next
     */
    public LaneScan open(@Variable("lane") Lane lane) {
        return publisher(lane).open(lane.epoch());
    }

    public void begin(@Variable("lane") Lane lane) {
        publisher(lane).begin();
    }

    /** Returns when Kafka has committed every record of the batch. */
    public void commit(@Variable("lane") Lane lane) {
        publisher(lane).commit();
    }

    /**
     * The database has committed the deletion of the batch. An empty one is a success too: after a failure the lane's producer
     * has been opened anew, by Kafka.
     */
    public void published(@Variable("lane") Lane lane, @Variable("batch") RelayBatch batch) {
        publisher(lane).published(batch);
        failing(false);
    }

    /**
     * After a failure: forgets the producer and whatever it has not committed.
     *
     * @return the rows of the batch that Kafka can never take, usually none
     */
    public List<RefusedRow> discard(@Variable("lane") Lane lane, @Variable("batch") RelayBatch batch) {
        failing(true);
        return publisher(lane).discard(batch);
    }

    private LanePublisher publisher(Lane lane) {
        return lanes.computeIfAbsent(lane.number(), number -> new LanePublisher(batchSize));
    }

    @Override
    @SuppressWarnings("rawtypes")
    public Producer getProducer(Properties endpointProperties) {
        var clientId = endpointProperties.getProperty(ProducerConfig.CLIENT_ID_CONFIG, "");
        int at = clientId.lastIndexOf(LANE_CLIENT);
        if (at < 0) {
            throw new IllegalArgumentException("client id '" + clientId + "' names no lane");
        }
        int number = Integer.parseInt(clientId.substring(at + LANE_CLIENT.length()));
        var properties = new Properties();
        properties.putAll(endpointProperties);
        properties.putAll(clientSettings);
        properties.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, transactionalId(number));
        LOG.debug("lane {} sends as {}", number, clientId);
        return lanes.computeIfAbsent(number, n -> new LanePublisher(batchSize)).configure(properties);
    }

    @Override
    @SuppressWarnings("rawtypes")
    public Consumer getConsumer(Properties endpointProperties) {
        var properties = new Properties();
        properties.putAll(endpointProperties);
        properties.putAll(clientSettings);
        return new KafkaConsumer<>(properties);
    }

    @Override
    public String getBrokers(KafkaConfiguration configuration) {
        return brokers;
    }

    @Override
    public void close() {
        lanes.values().forEach(publisher -> publisher.close(Duration.ofSeconds(2)));
    }
}
