package demo;

import app.AccessApplication;
import app.Settings;
import app.db.Migrations;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.utils.Utils;
import processors.identity.RoleChange;
import processors.identity.RoleChanged;

/**
 * The main job: a role with many users loses a permission, a task is queued, a worker walks it, and a full snapshot of
 * every user arrives in Kafka. Then all of it is checked.
 */
final class FanOutDemo {

    private static final String DATABASE = "postgres";
    private static final int WARM_UP_USERS = 100_000;
    /** How long nothing at all may happen. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final int users;
    private final AccessEventSchema schema = new AccessEventSchema();
    private final ObjectMapper json = new ObjectMapper();

    FanOutDemo(int users) {
        if (users < 1) {
            throw new IllegalArgumentException("demo.users: '" + users + "' is not allowed; at least 1 is");
        }
        this.users = users;
    }

    void run() throws Exception {
        long begun = System.nanoTime();
        try (var stack = EmbeddedStack.start()) {
            // Ctrl-C ends the JVM, and the servers go with it: PostgreSQL by its own hook, Kafka's files here.
            Runtime.getRuntime().addShutdownHook(new Thread(() -> closeQuietly(stack)));
            stack.kafka().createTopic(EmbeddedStack.TOPIC, AccessConsumer.PARTITIONS);
            var settings = settings(stack);
            new Migrations(settings).run();
            stack.createRunUser(DATABASE);
            say("PostgreSQL and Kafka run (%.1f s)", seconds(begun));

            var role = DemoData.seed(stack, DATABASE, users);
            say("role agent has %,d users; half of them hold other roles too", users);

            try (var application = new AccessApplication(settings).start()) {
                warmUp(stack, application);
                walk(stack, application, role);
            }
        }
    }

    /** Another role first: without it, half of the time measured would be the JVM compiling what it meets for once. */
    private static void warmUp(EmbeddedStack stack, AccessApplication application) throws SQLException {
        var other = DemoData.seedOther(stack, DATABASE, WARM_UP_USERS);
        var changed = application
                .camel()
                .createProducerTemplate()
                .requestBody("direct:set-role-permissions", RoleChange.add(other, "catalog.write"), RoleChanged.class);
        try (var connection = stack.superuser(DATABASE);
                var statement = connection.createStatement()) {
            boolean busy = true;
            while (busy) {
                var result = statement.executeQuery("select exists (select from identity.outbox) or exists (select from"
                        + " identity.access_fanout_tasks where status <> 'Completed')");
                result.next();
                busy = result.getBoolean(1);
            }
            statement.execute("delete from identity.access_fanout_tasks");
        }
        say(
                "role catalog-editor got catalog.write: %,d users told, to warm up (task %s)",
                WARM_UP_USERS, changed.taskId());
    }

    private void walk(EmbeddedStack stack, AccessApplication application, UUID role) throws Exception {
        long pagesBefore = pagesCommitted(application);
        long begun = System.nanoTime();
        var changed = application
                .camel()
                .createProducerTemplate()
                .requestBody(
                        "direct:set-role-permissions", RoleChange.remove(role, "crm.leads.export"), RoleChanged.class);
        say(
                "role agent lost crm.leads.export: version %d, %s",
                changed.version(),
                changed.taskId() == null ? changed.inlineEvents() + " events inline" : "task " + changed.taskId());

        watch(stack, role);
        double seconds = seconds(begun);

        say("all told; now every record is checked");
        var seen = new HashMap<UUID, Integer>();
        int records = checkRecords(stack, role, changed.version(), seen);
        check(records == users, "%d records for %d users", records, users);
        check(seen.size() == users, "%d of %d users heard of it", seen.size(), users);
        var task = checkDatabase(stack, changed);
        var perPartition = new int[AccessConsumer.PARTITIONS];
        seen.values().forEach(partition -> perPartition[partition]++);

        System.out.println();
        System.out.printf("  %-28s %,d%n", "users told", seen.size());
        System.out.printf("  %-28s %,d%n", "records in " + EmbeddedStack.TOPIC, records);
        System.out.printf("  %-28s %s%n", "records per partition", List.of(boxed(perPartition)));
        System.out.printf("  %-28s %s%n", "task", task);
        System.out.printf("  %-28s %s%n", "payloads", "all valid against schemas/user-access-changed.v1.json");
        System.out.printf("  %-28s %s%n", "outbox", "empty");
        System.out.println();
        // Inline, all users are one page; a task has as many as were committed, an empty last one not counted.
        long pages = changed.taskId() == null ? 1 : pagesCommitted(application) - pagesBefore;
        System.out.printf(
                "OK users=%d events=%d pages=%d seconds=%.2f users_per_second=%d%n",
                users, records, pages, seconds, Math.round(users / seconds));
    }

    /** Counts the users of whom a record has arrived, until there are as many as the role has. */
    private void watch(EmbeddedStack stack, UUID role) {
        var told = new HashSet<ByteBuffer>();
        int shown = 0;
        try (var consumer = AccessConsumer.open(stack)) {
            long deadline = System.nanoTime() + PATIENCE.toNanos();
            while (told.size() < users) {
                check(System.nanoTime() < deadline, "only %d of %d users heard of it", told.size(), users);
                for (var record : consumer.poll(Duration.ofMillis(100))) {
                    deadline = System.nanoTime() + PATIENCE.toNanos();
                    if (isAbout(role, record)) {
                        told.add(ByteBuffer.wrap(record.key()));
                    }
                }
                int tenths = (int) (10L * told.size() / users);
                if (tenths > shown) {
                    shown = tenths;
                    say("%3d %%  %,d users told", 10 * tenths, told.size());
                }
            }
        }
    }

    /** Reads the whole topic once more, and checks everything that a consumer relies on. */
    private int checkRecords(EmbeddedStack stack, UUID role, long version, Map<UUID, Integer> partitionByUser) {
        int records = 0;
        try (var consumer = AccessConsumer.open(stack)) {
            for (int quiet = 0; quiet < 5; quiet++) {
                for (var record : consumer.poll(Duration.ofMillis(200))) {
                    quiet = 0;
                    if (isAbout(role, record)) {
                        records++;
                        partitionByUser.put(checkRecord(record, role, version), record.partition());
                    }
                }
            }
        }
        return records;
    }

    private static boolean isAbout(UUID role, ConsumerRecord<byte[], byte[]> record) {
        return new String(record.headers().lastHeader("VersionSource").value()).equals("role:" + role);
    }

    private UUID checkRecord(ConsumerRecord<byte[], byte[]> record, UUID role, long version) {
        var key = new String(record.key());
        int expected = Utils.toPositive(Utils.murmur2(record.key())) % AccessConsumer.PARTITIONS;
        check(record.partition() == expected, "user %s is on partition %d, not %d", key, record.partition(), expected);
        var errors = schema.errors(record.value());
        check(errors.isEmpty(), "the event of user %s breaks the schema: %s", key, errors);
        try {
            JsonNode event = json.readTree(record.value());
            check(event.get("UserId").asText().equals(key), "the event of user %s names another user", key);
            check(event.get("Version").asLong() == version, "the event of user %s has another version", key);
            boolean holdsRole = false;
            for (var assignment : event.get("ActiveAssignments")) {
                holdsRole |= assignment.get("RoleId").asText().equals(role.toString());
            }
            check(holdsRole, "the snapshot of user %s lacks the role", key);
        } catch (IOException e) {
            throw new IllegalStateException("the event of user " + key + " is no JSON", e);
        }
        return UUID.fromString(key);
    }

    private String checkDatabase(EmbeddedStack stack, RoleChanged changed) throws SQLException {
        long deadline = System.nanoTime() + Duration.ofSeconds(10).toNanos();
        try (var connection = stack.superuser(DATABASE);
                var statement = connection.createStatement()) {
            while (true) {
                var result = statement.executeQuery(
                        "select (select count(*) from identity.outbox), (select string_agg(status || ', ' ||"
                                + " processed_count || ' users, attempt ' || attempt_count, '') from"
                                + " identity.access_fanout_tasks)");
                result.next();
                long left = result.getLong(1);
                var task = result.getString(2);
                if (left == 0 && (changed.taskId() == null || task.startsWith("Completed, " + users + " users"))) {
                    return task == null ? "none: the events went inline" : task;
                }
                check(System.nanoTime() < deadline, "outbox rows left: %d; task: %s", left, task);
            }
        }
    }

    private static long pagesCommitted(AccessApplication application) {
        return (long) application
                .camel()
                .getRegistry()
                .findSingleByType(MeterRegistry.class)
                .get("identity_access_fanout_batches")
                .counter()
                .count();
    }

    private static Settings settings(EmbeddedStack stack) {
        return Settings.load(null, Map.of(), stack.settings(DATABASE));
    }

    private static Integer[] boxed(int[] numbers) {
        return java.util.Arrays.stream(numbers).boxed().toArray(Integer[]::new);
    }

    private static void say(String text, Object... values) {
        System.out.printf(text + "%n", values);
    }

    private static double seconds(long since) {
        return (System.nanoTime() - since) / 1e9;
    }

    private static void check(boolean right, String wrong, Object... values) {
        if (!right) {
            throw new IllegalStateException("wrong: " + String.format(wrong, values));
        }
    }

    private static void closeQuietly(EmbeddedStack stack) {
        try {
            stack.close();
        } catch (IOException | RuntimeException e) {
            System.err.println("the embedded servers did not stop cleanly: " + e.getMessage());
        }
    }
}
