package app.kafka;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException;
import org.jspecify.annotations.Nullable;
import processors.identity.LaneScan;
import processors.identity.RefusedRow;
import processors.identity.RelayBatch;

/**
 * The producer of one lane. The route's thread calls everything but {@link #close}, which the heartbeat may call at any
 * moment, for a lane that is lost: a batch in flight then fails, which is what should happen to it.
 */
final class LanePublisher {

    private final LaneScan scan;

    /**
     * The first record of the present batch that failed, and why. Only the first: once it has put the transaction into
     * its error state, Kafka's client fails every other record with the same error.
     */
    private final AtomicReference<@Nullable Failed> firstFailure = new AtomicReference<>();

    private record Failed(String messageId, Exception reason) {}

    LanePublisher(int batchSize) {
        scan = new LaneScan(batchSize);
    }

    private @Nullable Properties properties;
    private volatile @Nullable KafkaProducer<byte[], byte[]> producer;
    private volatile long epoch = -1;

    /** @return what the endpoint sends through: always the present producer of the lane */
    @SuppressWarnings("unchecked")
    Producer<byte[], byte[]> configure(Properties properties) {
        this.properties = properties;
        return (Producer<byte[], byte[]>) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Producer.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("send")) {
                        return send((ProducerRecord<byte[], byte[]>) arguments[0]);
                    }
                    if (method.getName().equals("close")) {
                        close(Duration.ofSeconds(2));
                        return null;
                    }
                    try {
                        return method.invoke(present(), arguments);
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    boolean isOpenFor(long laneEpoch) {
        return producer != null && epoch == laneEpoch;
    }

    LaneScan open(long laneEpoch) {
        if (!isOpenFor(laneEpoch)) {
            close(Duration.ZERO);
            var fresh = new KafkaProducer<byte[], byte[]>(Objects.requireNonNull(properties, "not configured"));
            try {
                fresh.initTransactions();
            } catch (TransactionalIdAuthorizationException e) {
                fresh.close(Duration.ZERO);
                // Kafka does not say which.
                throw new TransactionalIdAuthorizationException("no right to WRITE as transactional id "
                        + properties.getProperty(ProducerConfig.TRANSACTIONAL_ID_CONFIG));
            } catch (RuntimeException e) {
                fresh.close(Duration.ZERO);
                throw e;
            }
            scan.reset();
            epoch = laneEpoch;
            producer = fresh;
        }
        return scan;
    }

    void begin() {
        firstFailure.set(null);
        present().beginTransaction();
    }

    void commit() {
        present().commitTransaction();
    }

    void published(RelayBatch batch) {
        if (batch.size() > 0) {
            scan.published(batch.lastId());
        }
    }

    List<RefusedRow> discard(RelayBatch batch) {
        var failed = firstFailure.getAndSet(null);
        close(Duration.ZERO);
        scan.failed(batch.size());
        return failed != null && failed.reason() instanceof RecordTooLargeException
                ? batch.refused(
                        failed.messageId(), String.valueOf(failed.reason().getMessage()))
                : List.of();
    }

    /** An open transaction is aborted by the broker, when the next producer of the lane opens or by its time-out. */
    void close(Duration timeout) {
        var old = producer;
        producer = null;
        if (old != null) {
            old.close(timeout);
        }
    }

    /** Fails at once when the batch has failed already: each further record might wait in vain for as long as the first. */
    private Object send(ProducerRecord<byte[], byte[]> record) {
        var failed = firstFailure.get();
        if (failed != null) {
            throw new KafkaException("the batch has failed already", failed.reason());
        }
        return present().send(record, (metadata, failure) -> {
            if (failure != null) {
                firstFailure.compareAndSet(null, new Failed(messageId(record), failure));
            }
        });
    }

    private KafkaProducer<byte[], byte[]> present() {
        var present = producer;
        if (present == null) {
            throw new IllegalStateException("the lane is lost");
        }
        return present;
    }

    private static String messageId(ProducerRecord<byte[], byte[]> record) {
        return new String(record.headers().lastHeader("MessageId").value(), StandardCharsets.UTF_8);
    }
}
