package bench;

import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.BooleanSupplier;
import javax.sql.DataSource;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/**
 * The relay by hand: as many lanes and connections as the routes have, the same statements, locks, records and durability,
 * with a transaction of Kafka for each batch or, to show the price of the fence, without.
 */
final class HandWrittenRelay implements AutoCloseable {

    private static final int LANES = 4;
    private static final int BATCH = 5_000;

    private final DataSource database;
    private final String topic;
    private final boolean fenced;
    private final List<KafkaProducer<byte[], byte[]>> producers = new ArrayList<>();

    HandWrittenRelay(DataSource database, String brokers, String topic, boolean fenced) {
        this.database = database;
        this.topic = topic;
        this.fenced = fenced;
        for (int lane = 0; lane < LANES; lane++) {
            var settings = new java.util.HashMap<String, Object>(Map.of(
                    ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                    brokers,
                    ProducerConfig.ACKS_CONFIG,
                    "all",
                    ProducerConfig.ENABLE_IDEMPOTENCE_CONFIG,
                    true,
                    ProducerConfig.COMPRESSION_TYPE_CONFIG,
                    "lz4",
                    ProducerConfig.BATCH_SIZE_CONFIG,
                    32_768,
                    ProducerConfig.LINGER_MS_CONFIG,
                    0));
            if (fenced) {
                settings.put(ProducerConfig.TRANSACTIONAL_ID_CONFIG, "bench-" + topic + "-lane-" + lane);
            }
            var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
            if (fenced) {
                producer.initTransactions();
            }
            producers.add(producer);
        }
    }

    /** Publishes until every lane is empty and nothing more will come. */
    void run(BooleanSupplier nothingMoreComes) throws Exception {
        var pool = Executors.newFixedThreadPool(LANES);
        try {
            var lanes = new ArrayList<Future<?>>();
            for (int lane = 0; lane < LANES; lane++) {
                int number = lane;
                lanes.add(pool.submit(() -> {
                    lane(number, nothingMoreComes);
                    return null;
                }));
            }
            for (var lane : lanes) {
                lane.get();
            }
        } finally {
            pool.shutdown();
        }
    }

    private void lane(int lane, BooleanSupplier nothingMoreComes)
            throws SQLException, ExecutionException, InterruptedException {
        var producer = producers.get(lane);
        try (var connection = database.getConnection();
                var lock = connection.prepareStatement(
                        "select epoch from identity.relay_lanes where lane = ? for update");
                var select = connection.prepareStatement("""
                        select o.id, o.user_id, o.message_id, o.correlation_id, o.version_source, o.created_at, o.payload
                        from (select cast(? as bigint) as after_id) h
                        join identity.outbox o on o.lane = ? and o.parked_at is null and o.id > h.after_id
                        where h.after_id = 0 or not exists (select from identity.outbox e
                            where e.user_id = o.user_id and e.id <= h.after_id and e.parked_at is null)
                        order by o.id limit ?""");
                var delete = connection.prepareStatement(
                        "delete from identity.outbox o where o.id = any (cast(? as bigint[]))")) {
            connection.setAutoCommit(false);
            long afterId = 0;
            long rescanAt = System.nanoTime();
            while (true) {
                boolean last = nothingMoreComes.getAsBoolean();
                if (System.nanoTime() - rescanAt > 1_000_000_000L) {
                    afterId = 0;
                    rescanAt = System.nanoTime();
                }
                lock.setInt(1, lane);
                lock.execute();
                select.setLong(1, afterId);
                select.setInt(2, lane);
                select.setInt(3, BATCH);
                var ids = new long[BATCH];
                int n = 0;
                var acks = new ArrayList<Future<RecordMetadata>>(BATCH);
                try (var row = select.executeQuery()) {
                    while (row.next()) {
                        if (n == 0 && fenced) {
                            producer.beginTransaction();
                        }
                        ids[n++] = row.getLong(1);
                        var user = bytes(row.getObject(2, UUID.class).toString());
                        var record = new ProducerRecord<>(topic, user, row.getBytes(7));
                        record.headers()
                                .add(
                                        "MessageId",
                                        bytes(row.getObject(3, UUID.class).toString()))
                                .add("EventType", bytes("pin.identity.user-access-changed"))
                                .add("ContractVersion", bytes("1"))
                                .add(
                                        "CreatedAt",
                                        bytes(DateTimeFormatter.ISO_OFFSET_DATE_TIME.format(
                                                row.getObject(6, OffsetDateTime.class))))
                                .add("AggregateId", user)
                                .add("AggregateType", bytes("User"))
                                .add(
                                        "CorrelationId",
                                        bytes(row.getObject(4, UUID.class).toString()))
                                .add("VersionSource", bytes(row.getString(5)));
                        acks.add(producer.send(record));
                    }
                }
                if (n > 0) {
                    if (fenced) {
                        producer.commitTransaction();
                    } else {
                        producer.flush();
                        for (var ack : acks) {
                            ack.get();
                        }
                    }
                    delete.setObject(1, Arrays.copyOf(ids, n));
                    delete.executeUpdate();
                    afterId = ids[n - 1];
                }
                connection.commit();
                if (n == 0) {
                    if (last) {
                        return;
                    }
                    Thread.onSpinWait();
                    java.util.concurrent.locks.LockSupport.parkNanos(2_000_000);
                }
            }
        }
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        producers.forEach(producer -> producer.close(java.time.Duration.ofSeconds(2)));
    }
}
