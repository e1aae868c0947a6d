package bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import processors.consuming.Received;
import processors.news.Decision;
import processors.news.ReplicaBatch;
import processors.news.ReplicaRows;

/**
 * The author replica by hand: one thread polls and commits offsets while another checks and writes, with the same batch
 * size, decisions, statements and durability. It lacks what the routes have besides: dead letters, waiting, isolation.
 */
final class HandWrittenReplica {

    private static final int BATCH = 500;

    private final DataSource database;
    private final String brokers;
    private final String topic;

    HandWrittenReplica(DataSource database, String brokers, String topic) {
        this.database = database;
        this.brokers = brokers;
        this.topic = topic;
    }

    /** Reads the topic from the beginning as a new group, and returns when so many records are stored and committed. */
    void run(int records) throws Exception {
        BlockingQueue<List<Received>> polled = new ArrayBlockingQueue<>(2);
        BlockingQueue<List<Received>> written = new LinkedBlockingQueue<>();
        var writer = Executors.newSingleThreadExecutor();
        try (var consumer = consumer()) {
            consumer.subscribe(List.of(topic));
            var writing = writer.submit(() -> {
                write(polled, written, records);
                return null;
            });
            int committed = 0;
            List<Received> held = null;
            while (committed < records) {
                if (held == null) {
                    held = received(consumer.poll(Duration.ofMillis(10)));
                }
                if (held.isEmpty() || polled.offer(held, 1, TimeUnit.MILLISECONDS)) {
                    held = null;
                }
                var done = new ArrayList<List<Received>>();
                written.drainTo(done);
                if (!done.isEmpty()) {
                    committed += commit(consumer, done);
                }
                if (writing.isDone()) {
                    writing.get(); // fails with it
                }
            }
            writing.get();
        } finally {
            writer.shutdownNow();
        }
    }

    private static List<Received> received(Iterable<ConsumerRecord<byte[], byte[]>> records) {
        var batch = new ArrayList<Received>(BATCH);
        for (var record : records) {
            batch.add(new Received(
                    record.topic(),
                    record.partition(),
                    record.offset(),
                    record.key(),
                    record.value(),
                    record.headers()));
        }
        return batch;
    }

    private int commit(KafkaConsumer<byte[], byte[]> consumer, List<List<Received>> done) {
        Map<TopicPartition, OffsetAndMetadata> offsets = new HashMap<>();
        int records = 0;
        for (var batch : done) {
            for (var record : batch) {
                offsets.put(
                        new TopicPartition(record.topic(), record.partition()),
                        new OffsetAndMetadata(record.offset() + 1));
            }
            records += batch.size();
        }
        consumer.commitSync(offsets);
        return records;
    }

    private void write(BlockingQueue<List<Received>> polled, BlockingQueue<List<Received>> written, int records)
            throws SQLException, InterruptedException {
        try (var connection = database.getConnection();
                var marks = connection.prepareStatement(text("select-marks"));
                var versions = connection.prepareStatement(text("select-versions"));
                var rows = connection.prepareStatement(text("write-replicas"));
                var newMarks = connection.prepareStatement(text("insert-marks"))) {
            connection.setAutoCommit(false);
            int done = 0;
            while (done < records) {
                var batch = polled.take();
                write(connection, batch, marks, versions, rows, newMarks);
                written.add(batch);
                done += batch.size();
            }
        }
    }

    private static void write(
            Connection connection,
            List<Received> records,
            PreparedStatement marks,
            PreparedStatement versions,
            PreparedStatement rows,
            PreparedStatement newMarks)
            throws SQLException {
        var batch = ReplicaBatch.of(records);
        while (batch.isOpen()) {
            marks.setObject(1, batch.keys());
            var seen = new ArrayList<ReplicaRows.Mark>();
            try (var row = marks.executeQuery()) {
                while (row.next()) {
                    seen.add(new ReplicaRows.Mark(row.getString(1)));
                }
            }
            batch.filterDuplicates(seen);
            batch.check();
            versions.setObject(1, batch.userIds());
            var present = new ArrayList<ReplicaRows.Version>();
            try (var row = versions.executeQuery()) {
                while (row.next()) {
                    present.add(new ReplicaRows.Version(row.getObject(1, UUID.class), row.getLong(2)));
                }
            }
            batch.compare(present);
            while (batch.parts().isOpen()) {
                var decision = batch.decide(batch.parts().next());
                batch.settle(decision, write(rows, decision));
            }
        }
        newMarks.setObject(1, batch.newMarks());
        newMarks.executeUpdate();
        connection.commit();
    }

    private static List<ReplicaRows.Written> write(PreparedStatement statement, Decision decision) throws SQLException {
        var columns = decision.rows();
        statement.setObject(1, columns.upserts().ids());
        statement.setObject(2, columns.upserts().displayNames());
        statement.setObject(3, columns.upserts().types());
        statement.setObject(4, columns.upserts().companyIds());
        statement.setObject(5, columns.upserts().statuses());
        statement.setObject(6, columns.upserts().versions());
        statement.setObject(7, columns.upserts().syncedAts());
        statement.setObject(8, columns.blocks().ids());
        statement.setObject(9, columns.blocks().versions());
        statement.setObject(10, columns.blocks().syncedAts());
        var written = new ArrayList<ReplicaRows.Written>();
        try (var row = statement.executeQuery()) {
            while (row.next()) {
                written.add(new ReplicaRows.Written(row.getObject(1, UUID.class)));
            }
        }
        return written;
    }

    /** The statement of the routes, with JDBC's parameters. */
    private static String text(String statement) {
        try (var in = HandWrittenReplica.class.getResourceAsStream("/sql/news/replica/" + statement + ".sql")) {
            return new String(in.readAllBytes(), java.nio.charset.StandardCharsets.UTF_8)
                    .replaceAll(":#\\$\\{[^}]+}", "?");
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private KafkaConsumer<byte[], byte[]> consumer() {
        return new KafkaConsumer<>(
                Map.of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        brokers,
                        ConsumerConfig.GROUP_ID_CONFIG,
                        "by-hand-" + UUID.randomUUID(),
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                        "earliest",
                        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                        "false",
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                        "read_committed",
                        ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                        Integer.toString(BATCH)),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
    }
}
