package demo;

import app.AccessApplication;
import app.Settings;
import app.db.Migrations;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;

/** The author replica: one record of each kind, what became of it, and the table afterwards. */
final class ReplicaDemo {

    private static final String DATABASE = "postgres";
    private static final String TOPIC = "pin.identity.users.v1";
    private static final String DEAD_LETTERS = "pin.identity.users.v1.news-identity-users.dlq";
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final String UPSERTED = "pin.identity.user-upserted";
    private static final String BLOCKED = "pin.identity.user-blocked";

    private final UUID anna = UUID.fromString("aaaaaaaa-0000-4000-8000-000000000001");
    private final UUID boris = UUID.fromString("bbbbbbbb-0000-4000-8000-000000000002");
    private final UUID clara = UUID.fromString("cccccccc-0000-4000-8000-000000000003");

    /** A step: what is sent, and the metric that shows what became of it. */
    private record Step(
            String what, String type, UUID messageId, UUID user, String json, String outcome, String metric) {}

    void run() throws Exception {
        try (var stack = EmbeddedStack.start()) {
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                try {
                    stack.close();
                } catch (java.io.IOException e) {
                    System.err.println("the embedded servers did not stop cleanly: " + e.getMessage());
                }
            }));
            stack.kafka().createTopic(TOPIC, 6);
            stack.kafka().createTopic(DEAD_LETTERS, 1, Map.of("max.message.bytes", "1050000"));
            var settings = Settings.load(null, Map.of(), stack.newsSettings(DATABASE));
            new Migrations(settings).run();
            stack.createNewsUser(DATABASE);
            try (var application = new AccessApplication(settings).start();
                    var producer = producer(stack)) {
                walk(stack, application, producer);
            }
        }
    }

    private void walk(EmbeddedStack stack, AccessApplication application, KafkaProducer<byte[], byte[]> producer)
            throws Exception {
        int records = 0;
        for (var step : steps()) {
            double before = count(application, step.metric());
            producer.send(record(step)).get();
            records++;
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (count(application, step.metric()) <= before) {
                check(System.nanoTime() < deadline, "%s was not %s", step.what(), step.outcome());
                java.util.concurrent.locks.LockSupport.parkNanos(5_000_000);
            }
            System.out.printf("  %-52s %s%n", step.what(), step.outcome());
        }
        System.out.println();
        int rows = printTable(stack);
        check(rows == 2, "%d rows, not 2", rows);
        int letters = printDeadLetters(stack);
        check(letters == 2, "%d dead letters, not 2", letters);
        System.out.println();
        System.out.printf("OK records=%d rows=%d dead_letters=%d%n", records, rows, letters);
    }

    private List<Step> steps() {
        var first = UUID.randomUUID();
        return List.of(
                upsert("Anna, first seen, version 1", first, anna, 1, "Anna", "Agent", "Active")
                        .becoming("upserted", "news_replica_upserted_total"),
                upsert("the same message again", first, anna, 1, "Anna", "Agent", "Active")
                        .becoming("skipped-duplicate", "news_replica_skipped_total{reason=\"duplicate\"}"),
                upsert("Anna, version 5", UUID.randomUUID(), anna, 5, "Anna-Maria", "Agent", "Active")
                        .becoming("upserted", "news_replica_upserted_total"),
                upsert("Anna, version 4, overtaken", UUID.randomUUID(), anna, 4, "Ann", "Agent", "Active")
                        .becoming("skipped-stale", "news_replica_stale_total"),
                new Draft("Anna is blocked, version 6", BLOCKED, UUID.randomUUID(), anna, blockedJson(anna, 6))
                        .becoming("blocked", "news_replica_blocked_total"),
                new Draft(
                                "Clara is blocked, whom nobody has seen",
                                BLOCKED,
                                UUID.randomUUID(),
                                clara,
                                blockedJson(clara, 2))
                        .becoming("skipped-missing-replica", "news_replica_skipped_total{reason=\"missing\"}"),
                upsert("Boris, a PartnerManager", UUID.randomUUID(), boris, 1, "Boris", "PartnerManager", "Invited")
                        .becoming("upserted as AgencyManager", "news_replica_unknown_enum_total{field=\"Type\"}"),
                upsert("Boris, with a status of tomorrow", UUID.randomUUID(), boris, 2, "Boris", "Agent", "Sleeping")
                        .becoming("upserted as Blocked", "news_replica_unknown_enum_total{field=\"Status\"}"),
                upsert("Boris, without a first name", UUID.randomUUID(), boris, 3, "", "Agent", "Active")
                        .becoming("dead-lettered", "news_replica_dlq_total"),
                new Draft("a record that is no JSON", UPSERTED, UUID.randomUUID(), boris, "{\"UserId\":")
                        .becoming("dead-lettered", "news_replica_dlq_total"),
                new Draft("an event of another type", "pin.identity.user-renamed", UUID.randomUUID(), boris, "{}")
                        .becoming("skipped-unknown-type", "news_replica_skipped_total{reason=\"unknown-type\"}"));
    }

    private record Draft(String what, String type, UUID messageId, UUID user, String json) {
        Step becoming(String outcome, String metric) {
            return new Step(what, type, messageId, user, json, outcome, metric);
        }
    }

    private static Draft upsert(
            String what, UUID messageId, UUID user, long version, String firstName, String type, String status) {
        return new Draft(
                what,
                UPSERTED,
                messageId,
                user,
                ("{\"UserId\":\"%s\",\"Name\":{\"FirstName\":\"%s\",\"LastName\":\"Example\",\"MiddleName\":null},\"Type\":\"%s\","
                                + "\"CompanyId\":null,\"Status\":\"%s\",\"Version\":%d,\"PhoneNumber\":\"+70000000000\","
                                + "\"Email\":\"nobody@example.org\"}")
                        .formatted(user, firstName, type, status, version));
    }

    private static String blockedJson(UUID user, long version) {
        return "{\"UserId\":\"%s\",\"CompanyId\":null,\"BlockedAt\":\"2026-03-01T10:00:00Z\",\"Reason\":\"spam\",\"Version\":%d}"
                .formatted(user, version);
    }

    private static ProducerRecord<byte[], byte[]> record(Step step) {
        var record = new ProducerRecord<>(TOPIC, bytes(step.user().toString()), bytes(step.json()));
        var headers = new LinkedHashMap<String, String>();
        headers.put("MessageId", step.messageId().toString());
        headers.put("EventType", step.type());
        headers.put("ContractVersion", "1");
        headers.put("CreatedAt", java.time.OffsetDateTime.now().toString());
        headers.put("AggregateId", step.user().toString());
        headers.put("AggregateType", "User");
        headers.forEach((name, value) -> record.headers().add(name, bytes(value)));
        return record;
    }

    private static int printTable(EmbeddedStack stack) throws SQLException {
        int rows = 0;
        try (var connection = stack.superuser(DATABASE);
                var statement = connection.createStatement()) {
            var row = statement.executeQuery(
                    "select display_name, type, status, source_version from news.author_replicas order by display_name");
            System.out.printf("  %-24s %-16s %-10s %s%n", "display_name", "type", "status", "source_version");
            while (row.next()) {
                rows++;
                System.out.printf(
                        "  %-24s %-16s %-10s %d%n",
                        row.getString(1), row.getString(2), row.getString(3), row.getLong(4));
            }
        }
        return rows;
    }

    private static int printDeadLetters(EmbeddedStack stack) {
        int letters = 0;
        try (var consumer = new KafkaConsumer<>(
                Map.<String, Object>of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG, stack.kafka().brokers()),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            var partition = new TopicPartition(DEAD_LETTERS, 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).get(partition);
            while (consumer.position(partition) < end) {
                for (var record : consumer.poll(Duration.ofMillis(100))) {
                    letters++;
                    System.out.printf(
                            "  dead letter: %s, %s%n",
                            new String(
                                    record.headers()
                                            .lastHeader("DeadLetterCode")
                                            .value(),
                                    StandardCharsets.UTF_8),
                            new String(
                                    record.headers()
                                            .lastHeader("DeadLetterReason")
                                            .value(),
                                    StandardCharsets.UTF_8));
                }
            }
        }
        return letters;
    }

    private static KafkaProducer<byte[], byte[]> producer(EmbeddedStack stack) {
        return new KafkaProducer<>(
                Map.of(ProducerConfig.BOOTSTRAP_SERVERS_CONFIG, stack.kafka().brokers()),
                new ByteArraySerializer(),
                new ByteArraySerializer());
    }

    private static double count(AccessApplication application, String series) {
        return application
                .camel()
                .getRegistry()
                .findSingleByType(io.micrometer.prometheusmetrics.PrometheusMeterRegistry.class)
                .scrape()
                .lines()
                .filter(line -> line.startsWith(series + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
                .findFirst()
                .orElse(0);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private static void check(boolean right, String wrong, Object... values) {
        if (!right) {
            throw new IllegalStateException("wrong: " + String.format(wrong, values));
        }
    }
}
