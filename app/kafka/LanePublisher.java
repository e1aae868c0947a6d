package app.kafka;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.clients.producer.Callback;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;
import processors.identity.LaneScan;
import processors.identity.RefusedRow;
import processors.identity.RelayBatch;

/**
 * The producer of one lane. The route's thread calls everything but {@link #close}, which the heartbeat may call at any
 * moment, for a lane that is lost: a batch in flight then fails, which is what should happen to it.
 */
final class LanePublisher {

    private final LaneScan scan = new LaneScan();

    /** What Kafka refused for its size in the present batch: MessageId to reason. */
    private final ConcurrentHashMap<String, String> refused = new ConcurrentHashMap<>();

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

    long open(long laneEpoch) {
        if (!isOpenFor(laneEpoch)) {
            close(Duration.ZERO);
            var fresh = new KafkaProducer<byte[], byte[]>(Objects.requireNonNull(properties, "not configured"));
            try {
                fresh.initTransactions();
            } catch (RuntimeException e) {
                fresh.close(Duration.ZERO);
                throw e;
            }
            scan.reset();
            epoch = laneEpoch;
            producer = fresh;
        }
        return scan.afterId(System.nanoTime());
    }

    void begin() {
        refused.clear();
        present().beginTransaction();
    }

    void commit() {
        present().commitTransaction();
    }

    void published(RelayBatch batch) {
        if (batch.size() > 0) {
            scan.deletedUpTo(batch.lastId());
        }
    }

    List<RefusedRow> discard(RelayBatch batch) {
        close(Duration.ZERO);
        scan.reset();
        var ids = batch.idsByMessageId();
        var rows = new ArrayList<RefusedRow>();
        refused.forEach((messageId, reason) -> {
            var id = ids.get(messageId);
            if (id != null) {
                rows.add(new RefusedRow(id, reason));
            }
        });
        refused.clear();
        return rows;
    }

    /** An open transaction is aborted by the broker, when the next producer of the lane opens or by its time-out. */
    void close(Duration timeout) {
        var old = producer;
        producer = null;
        if (old != null) {
            old.close(timeout);
        }
    }

    private Object send(ProducerRecord<byte[], byte[]> record) {
        Callback refusal = (metadata, failure) -> {
            if (failure instanceof RecordTooLargeException) {
                refused.put(messageId(record), failure.getMessage());
            }
        };
        return present().send(record, refusal);
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
