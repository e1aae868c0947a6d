package demo;

import app.AccessApplication;
import app.Settings;
import app.db.Migrations;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.camel.ProducerTemplate;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import processors.identity.AccessChanged;
import processors.identity.AssignmentGrant;
import processors.identity.AssignmentRevocation;
import processors.identity.ResourceScope;
import processors.identity.RoleChange;
import processors.identity.RoleChanged;

/**
 * Every cause of an access event, one after the other: what is done to the platform, the record that follows from it, and
 * how long that took. After each, the last record of everybody must say what the database says.
 */
final class AccessDemo {

    private static final String DATABASE = "postgres";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final AccessEventSchema schema = new AccessEventSchema();
    private final ObjectMapper json = new ObjectMapper();
    private final Map<UUID, String> names = new LinkedHashMap<>();
    private final Map<UUID, List<UUID>> known = new LinkedHashMap<>();
    private JdbcTemplate sql;
    private ProducerTemplate routes;
    private KafkaConsumer<byte[], byte[]> consumer;
    private int events;
    private double slowestMillis;

    void run() throws Exception {
        long begun = System.nanoTime();
        try (var stack = EmbeddedStack.start()) {
            stack.kafka().createTopic(EmbeddedStack.TOPIC, AccessConsumer.PARTITIONS);
            var properties = stack.settings(DATABASE);
            properties.setProperty("identity.expiry.schedule", "* * * * * ?");
            var settings = Settings.load(null, Map.of(), properties);
            new Migrations(settings).run();
            stack.createRunUser(DATABASE);
            var owner = new SingleConnectionDataSource(stack.superuser(DATABASE), true);
            sql = new JdbcTemplate(owner);
            try (var application = new AccessApplication(settings).start();
                    var reader = AccessConsumer.open(stack)) {
                routes = application.camel().createProducerTemplate();
                consumer = reader;
                System.out.printf(
                        "PostgreSQL, Kafka and the routes run (%.1f s)%n%n", (System.nanoTime() - begun) / 1e9);
                show();
            } finally {
                owner.destroy();
            }
        }
        System.out.printf(
                "%nOK users=%d events=%d slowest_ms=%.0f seconds=%.1f%n",
                names.size(), events, slowestMillis, (System.nanoTime() - begun) / 1e9);
    }

    private void show() throws Exception {
        var anna = user("anna");
        var boris = user("boris");
        var agent = role("agent");
        var manager = role("developer-manager");
        var company = UUID.randomUUID();

        var annasAgent = AssignmentGrant.of(anna, agent, ResourceScope.platform());
        after("anna is granted agent, on the platform", 1, () -> grant(annasAgent));
        var annasManager = AssignmentGrant.of(anna, manager, ResourceScope.organization(company));
        after("anna is granted developer-manager, in a company", 1, () -> grant(annasManager));
        var borisAgent = AssignmentGrant.of(boris, agent, ResourceScope.project(company, UUID.randomUUID()));
        after("boris is granted agent, in a project", 1, () -> grant(borisAgent));
        after(
                "role agent gets the permission crm.leads.read: everybody who holds it hears of it",
                2,
                () -> routes.requestBody(
                        "direct:set-role-permissions", RoleChange.add(agent, "crm.leads.read"), RoleChanged.class));
        after(
                "developer-manager is revoked from anna",
                1,
                () -> routes.requestBody(
                        "direct:revoke-assignments",
                        AssignmentRevocation.of(List.of(annasManager.assignmentId())),
                        AccessChanged.class));
        after(
                "boris is granted developer-manager for one second (grant, then expiry)",
                2,
                () -> grant(new AssignmentGrant(
                        UUID.randomUUID(), boris, manager, ResourceScope.platform(), inOneSecond())));
        after("another service grants anna developer-manager in plain SQL, and announces it", 1, () -> {
            sql.execute("begin");
            sql.update(
                    "insert into identity.role_assignments (id, user_id, role_id, scope_type) values (?, ?, ?, 'Platform')",
                    UUID.randomUUID(),
                    anna,
                    manager);
            sql.execute("select identity.announce_access('{" + anna + "}', 'AssignmentGranted')");
            sql.execute("commit");
        });
        after(
                "role agent is archived: nobody holds it any more",
                2,
                () -> routes.requestBody("direct:archive-role", agent, AccessChanged.class));
        after("anna is deleted, with everything; nobody has to announce it", 1, () -> {
            sql.execute("begin");
            sql.update("delete from identity.role_assignments where user_id = ?", anna);
            sql.update("delete from identity.users where id = ?", anna);
            sql.execute("commit");
        });
    }

    private interface Act {
        void run() throws Exception;
    }

    /** Does it, prints the records that follow as they arrive, and compares what is known now with the database. */
    private void after(String what, int expected, Act act) throws Exception {
        System.out.println(what);
        act.run();
        long committed = System.nanoTime();
        var records = new ArrayList<ConsumerRecord<byte[], byte[]>>();
        long deadline = committed + PATIENCE.toNanos();
        while (records.size() < expected) {
            check(System.nanoTime() < deadline, "only %d of %d records came", records.size(), expected);
            for (var record : consumer.poll(Duration.ofMillis(50))) {
                print(record, committed);
                records.add(record);
            }
        }
        check(records.size() == expected, "%d records came, not %d", records.size(), expected);
        names.forEach((user, name) -> check(
                new TreeSet<>(known.getOrDefault(user, List.of()))
                        .equals(new TreeSet<>(sql.queryForList(
                                "select id from identity.role_assignments where user_id = ? and status = 'Active'",
                                UUID.class,
                                user))),
                "the last record of %s is not what the database says",
                name));
    }

    private void print(ConsumerRecord<byte[], byte[]> record, long committed) throws Exception {
        var user = UUID.fromString(new String(record.key(), StandardCharsets.UTF_8));
        var errors = schema.errors(record.value());
        check(errors.isEmpty(), "the event of %s breaks the schema: %s", names.get(user), errors);
        JsonNode event = json.readTree(record.value());
        var held = new ArrayList<String>();
        var ids = new ArrayList<UUID>();
        event.get("ActiveAssignments").forEach(assignment -> {
            held.add(assignment.get("RoleCode").asText() + " ("
                    + assignment.get("ScopeType").asText() + ")");
            ids.add(UUID.fromString(assignment.get("AssignmentId").asText()));
        });
        known.put(user, ids);
        events++;
        double millis = (System.nanoTime() - committed) / 1e6;
        boolean waitedForItsEnd = event.get("ChangeReason").asText().equals("AssignmentExpired");
        if (!waitedForItsEnd) {
            slowestMillis = Math.max(slowestMillis, millis);
        }
        System.out.printf(
                "  %6.0f ms  %-6s %-22s v%d of %-12s %s%n",
                millis,
                names.get(user),
                event.get("ChangeReason").asText(),
                event.get("Version").asLong(),
                new String(record.headers().lastHeader("VersionSource").value(), StandardCharsets.UTF_8)
                        .replaceFirst("(role:.{6}).*", "$1…"),
                held);
    }

    private void grant(AssignmentGrant grant) {
        routes.requestBody("direct:grant-assignment", grant, AccessChanged.class);
    }

    private OffsetDateTime inOneSecond() {
        return sql.queryForObject("select clock_timestamp() + interval '1 second'", OffsetDateTime.class);
    }

    private UUID user(String name) {
        var user = UUID.randomUUID();
        names.put(user, name);
        sql.update("insert into identity.users (id) values (?)", user);
        return user;
    }

    private UUID role(String code) {
        var role = UUID.randomUUID();
        sql.update("insert into identity.role_definitions (id, code) values (?, ?)", role, code);
        return role;
    }

    private static void check(boolean right, String wrong, Object... values) {
        if (!right) {
            throw new IllegalStateException("wrong: " + String.format(wrong, values));
        }
    }
}
