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
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.locks.LockSupport;
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
 * Every cause of an access event, one after the other: what is done to the platform, the record that follows from it, what
 * the access cache of a service then holds, and how long that took. After each, the last record and the cached rights of
 * everybody must be what the database says.
 */
final class AccessDemo {

    private static final String DATABASE = "postgres";
    private static final String CACHE = "access_cache";
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final AccessEventSchema schema = new AccessEventSchema();
    private final ObjectMapper json = new ObjectMapper();
    private final Map<UUID, String> names = new LinkedHashMap<>();
    private final Map<UUID, List<UUID>> known = new LinkedHashMap<>();
    private JdbcTemplate sql;
    private JdbcTemplate cache;
    private ProducerTemplate routes;
    private KafkaConsumer<byte[], byte[]> consumer;
    private int events;
    private double slowestMillis;

    void run() throws Exception {
        long begun = System.nanoTime();
        try (var stack = EmbeddedStack.start()) {
            stack.kafka().createTopic(EmbeddedStack.TOPIC, AccessConsumer.PARTITIONS);
            stack.kafka().createTopic(EmbeddedStack.TOPIC + ".gateway.dlq", AccessConsumer.PARTITIONS);
            var owner = new SingleConnectionDataSource(stack.superuser(DATABASE), true);
            sql = new JdbcTemplate(owner);
            sql.execute("create database " + CACHE);
            var cacheOwner = new SingleConnectionDataSource(stack.superuser(CACHE), true);
            cache = new JdbcTemplate(cacheOwner);
            var properties = stack.withAccessCache(stack.settings(DATABASE), CACHE);
            properties.setProperty("identity.expiry.schedule", "* * * * * ?");
            var settings = Settings.load(null, Map.of(), properties);
            new Migrations(settings).run();
            stack.createRunUser(DATABASE);
            stack.createAccessCacheUser(CACHE);
            try (var application = new AccessApplication(settings).start();
                    var reader = AccessConsumer.open(stack)) {
                routes = application.camel().createProducerTemplate();
                consumer = reader;
                System.out.printf(
                        "PostgreSQL, Kafka and the routes run, the access cache beside them (%.1f s)%n%n",
                        (System.nanoTime() - begun) / 1e9);
                show();
            } finally {
                owner.destroy();
                cacheOwner.destroy();
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

    /** Does it, prints the records that follow and what the cache makes of them, and compares all of it with the database. */
    private void after(String what, int expected, Act act) throws Exception {
        System.out.println(what);
        act.run();
        long committed = System.nanoTime();
        var records = new ArrayList<ConsumerRecord<byte[], byte[]>>();
        long deadline = committed + PATIENCE.toNanos();
        while (records.size() < expected) {
            check(System.nanoTime() < deadline, "only %d of %d records came", records.size(), expected);
            var polled = consumer.poll(Duration.ofMillis(50));
            for (var record : polled) {
                print(record, committed);
                records.add(record);
            }
            for (var record : polled) {
                printCached(record, committed);
            }
        }
        check(records.size() == expected, "%d records came, not %d", records.size(), expected);
        for (var user : names.keySet()) {
            var active = new TreeSet<>(sql.queryForList(
                    "select id from identity.role_assignments where user_id = ? and status = 'Active'",
                    UUID.class,
                    user));
            check(
                    active.equals(new TreeSet<>(known.getOrDefault(user, List.of()))),
                    "the last record of %s is not what the database says",
                    names.get(user));
            // Of whom no event has told yet, the cache knows nothing.
            check(
                    !known.containsKey(user) || isFresh(user) && active.equals(cachedAssignments(user)),
                    "the cache does not hold of %s what the database says",
                    names.get(user));
        }
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
                header(record, "VersionSource").replaceFirst("(role:.{6}).*", "$1…"),
                held);
    }

    /** Waits until the cache has applied the record, and prints what it holds then. */
    private void printCached(ConsumerRecord<byte[], byte[]> record, long committed) {
        var user = UUID.fromString(new String(record.key(), StandardCharsets.UTF_8));
        var source = header(record, "VersionSource");
        var messageId = header(record, "MessageId");
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!cache.queryForObject(
                "select exists (select from access_cache.user_access where user_id = ? and message_ids -> ? @> to_jsonb(?))",
                Boolean.class,
                user,
                source,
                messageId)) {
            check(System.nanoTime() < deadline, "the cache has not applied the event of %s", names.get(user));
            LockSupport.parkNanos(1_000_000);
        }
        double millis = (System.nanoTime() - committed) / 1e6;
        System.out.printf("  %6.0f ms  %-6s in the cache: %s%n", millis, names.get(user), cachedRoles(user));
    }

    /** The codes of the roles that a reader of the cache sees, or that identity must be asked. */
    private String cachedRoles(UUID user) {
        return cache.queryForObject(
                "select case when a.state = 'Fresh' then (select coalesce(string_agg(e ->> 'RoleCode', ', '), 'nothing')"
                        + " from access_cache.current_access c, jsonb_array_elements(c.assignments) e"
                        + " where c.user_id = a.user_id) else a.state end from access_cache.user_access a where a.user_id = ?",
                String.class,
                user);
    }

    private boolean isFresh(UUID user) {
        return cache.queryForObject(
                "select exists (select from access_cache.current_access where user_id = ?)", Boolean.class, user);
    }

    /** The assignments that the cache gives its readers. */
    private Set<UUID> cachedAssignments(UUID user) {
        return new TreeSet<>(cache.queryForList(
                "select cast(e ->> 'AssignmentId' as uuid) from access_cache.current_access c,"
                        + " jsonb_array_elements(c.assignments) e where c.user_id = ?",
                UUID.class,
                user));
    }

    private static String header(ConsumerRecord<byte[], byte[]> record, String name) {
        return new String(record.headers().lastHeader(name).value(), StandardCharsets.UTF_8);
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
