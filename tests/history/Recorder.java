package tests.history;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.springframework.jdbc.core.JdbcTemplate;
import tests.history.History.Cached;
import tests.history.History.Checkpoint;
import tests.history.History.Event;
import tests.history.History.Published;
import tests.history.History.Right;
import tests.support.AccessTopic;

/**
 * Records what is committed, by triggers in the recorded transactions: what is rolled back leaves no trace. Numbers are
 * drawn while the row (of a task) or the user (of an event) is locked, so they are in the order of the commits.
 */
final class Recorder {

    private static final ObjectMapper JSON = new ObjectMapper();

    private static final String TRIGGERS = """
            create schema history;
            create table history.events (id bigint, xid bigint, user_id uuid, message_id uuid, correlation_id uuid,
                                         source text, payload bytea);
            create table history.checkpoints (n bigint generated always as identity (cache 1), xid bigint, task uuid,
                                              role_id uuid, role_version bigint, status text, cursor uuid, processed int,
                                              attempt int);
            create function history.event() returns trigger language plpgsql security definer as $$
            begin
                insert into history.events values (new.id, pg_current_xact_id()::text::bigint, new.user_id, new.message_id,
                                                   new.correlation_id, new.version_source, new.payload);
                return null;
            end $$;
            create trigger history after insert on identity.outbox for each row execute function history.event();
            create function history.checkpoint() returns trigger language plpgsql security definer as $$
            begin
                insert into history.checkpoints (xid, task, role_id, role_version, status, cursor, processed, attempt)
                values (pg_current_xact_id()::text::bigint, new.id, new.role_id, new.role_version, new.status, new.cursor,
                        new.processed_count, new.attempt_count);
                return null;
            end $$;
            create trigger history after insert or update on identity.access_fanout_tasks
                for each row execute function history.checkpoint();
            """;

    private final JdbcTemplate sql;

    Recorder(JdbcTemplate sql) {
        this.sql = sql;
    }

    void install() {
        sql.execute(TRIGGERS);
    }

    /** All that was committed, when everything is quiet. */
    History read(
            AccessTopic topic,
            List<Cached> caches,
            Map<UUID, Set<UUID>> holders,
            Set<UUID> users,
            List<String> leftovers,
            int crashes) {
        var records = new ArrayList<Published>();
        for (var record : topic.settled()) {
            records.add(new Published(
                    record.raw().partition(),
                    record.raw().offset(),
                    UUID.fromString(record.header("MessageId")),
                    record.user(),
                    Set.copyOf(record.event().assignmentIds())));
        }
        return new History(events(), records, checkpoints(), access(users), caches, holders, leftovers, crashes);
    }

    private List<Event> events() {
        return sql.query("select * from history.events order by id", (row, n) -> {
            var payload = json(row.getBytes("payload"));
            var assignments = new HashSet<UUID>();
            payload.get("ActiveAssignments")
                    .forEach(a -> assignments.add(
                            UUID.fromString(a.get("AssignmentId").asText())));
            return new Event(
                    row.getLong("id"),
                    row.getLong("xid"),
                    row.getObject("user_id", UUID.class),
                    row.getObject("message_id", UUID.class),
                    row.getObject("correlation_id", UUID.class),
                    row.getString("source"),
                    payload.get("Version").asLong(),
                    assignments);
        });
    }

    private List<Checkpoint> checkpoints() {
        return sql.query(
                "select * from history.checkpoints order by n",
                (row, n) -> new Checkpoint(
                        row.getLong("xid"),
                        row.getObject("task", UUID.class),
                        row.getObject("role_id", UUID.class),
                        row.getLong("role_version"),
                        row.getString("status"),
                        row.getObject("cursor", UUID.class),
                        row.getInt("processed"),
                        row.getInt("attempt")));
    }

    private Map<UUID, Set<Right>> access(Set<UUID> users) {
        var access = new HashMap<UUID, Set<Right>>();
        users.forEach(user -> access.put(user, new HashSet<>()));
        sql.query(
                "select user_id, id, role_id, concat_ws('/', scope_type, coalesce(scope_organization_id::text, '-'),"
                        + " coalesce(scope_project_group_id::text, '-'), coalesce(scope_project_id::text, '-'))"
                        + " from identity.role_assignments where status = 'Active'",
                row -> {
                    access.computeIfAbsent(row.getObject(1, UUID.class), user -> new HashSet<>())
                            .add(new Right(
                                    row.getObject(2, UUID.class), row.getObject(3, UUID.class), row.getString(4)));
                });
        return access;
    }

    private static JsonNode json(byte[] payload) {
        try {
            return JSON.readTree(payload);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
