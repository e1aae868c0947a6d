package bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
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

/**
 * A consumer by hand: one thread polls and commits offsets while another checks and writes, with the same batch size and
 * durability as the routes. It lacks what they have besides: dead letters, waiting, isolation.
 */
abstract class HandWrittenConsumer {

    private static final int BATCH = 500;

    private final DataSource database;
    private final String brokers;
    private final String topic;

    HandWrittenConsumer(DataSource database, String brokers, String topic) {
        this.database = database;
        this.brokers = brokers;
        this.topic = topic;
    }

    /** What writes batches over one connection, which commits nothing by itself. */
    abstract BatchWriter writer(Connection connection) throws SQLException;

    interface BatchWriter extends AutoCloseable {

        /** All of a batch, without the commit. */
        void write(List<Received> records) throws SQLException;

        @Override
        void close() throws SQLException;
    }

    /** Reads the topic from the beginning as a new group, and returns when so many records are stored and committed. */
    final void run(int records) throws Exception {
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

    private void write(BlockingQueue<List<Received>> polled, BlockingQueue<List<Received>> written, int records)
            throws SQLException, InterruptedException {
        try (var connection = database.getConnection();
                var writer = writer(connection)) {
            connection.setAutoCommit(false);
            int done = 0;
            while (done < records) {
                var batch = polled.take();
                writer.write(batch);
                connection.commit();
                written.add(batch);
                done += batch.size();
            }
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

    private static int commit(KafkaConsumer<byte[], byte[]> consumer, List<List<Received>> done) {
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

    /** A statement of the routes, with JDBC's parameters. */
    static String text(String file) {
        try (var in = HandWrittenConsumer.class.getResourceAsStream("/sql/" + file)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).replaceAll(":#\\$\\{[^}]+}", "?");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
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
