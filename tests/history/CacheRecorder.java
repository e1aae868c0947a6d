package tests.history;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import tests.history.History.Cached;
import tests.history.History.Held;
import tests.history.History.Right;

/**
 * Records what a cache holds, by a trigger in the transactions that write it. Numbers are drawn while the row is locked, so
 * those of one user are in the order of the commits.
 */
final class CacheRecorder {

    private static final ObjectMapper JSON = new ObjectMapper();

    private static final String TRIGGER = """
            create schema history;
            create table history.held (n bigint generated always as identity (cache 1), user_id uuid, state text,
                                       assignments jsonb, message_ids jsonb);
            create function history.held() returns trigger language plpgsql security definer as $$
            begin
                insert into history.held (user_id, state, assignments, message_ids)
                values (new.user_id, new.state, new.assignments, new.message_ids);
                return null;
            end $$;
            create trigger history after insert or update on access_cache.user_access
                for each row execute function history.held();
            """;

    private final JdbcTemplate sql;

    CacheRecorder(JdbcTemplate sql) {
        this.sql = sql;
    }

    void install() {
        sql.execute(TRIGGER);
    }

    /** All that it has held, when it has nothing more to do. */
    Cached read(String name, boolean versionSource) {
        var atRest = new HashMap<UUID, Held>();
        held("access_cache.user_access order by user_id").forEach(held -> atRest.put(held.user(), held));
        return new Cached(name, versionSource, held("history.held order by n"), atRest);
    }

    private List<Held> held(String rows) {
        return sql.query("select user_id, state, assignments, message_ids from " + rows, (row, n) -> held(row));
    }

    private static Held held(ResultSet row) throws SQLException {
        return new Held(
                row.getObject(1, UUID.class),
                row.getString(2).equals("Fresh"),
                rights(row.getString(3)),
                messages(row.getString(4)));
    }

    private static Set<Right> rights(@Nullable String assignments) {
        var rights = new HashSet<Right>();
        if (assignments != null) {
            json(assignments)
                    .forEach(a -> rights.add(new Right(
                            UUID.fromString(a.get("AssignmentId").asText()),
                            UUID.fromString(a.get("RoleId").asText()),
                            String.join(
                                    "/",
                                    a.get("ScopeType").asText(),
                                    text(a, "ScopeOrganizationId"),
                                    text(a, "ScopeProjectGroupId"),
                                    text(a, "ScopeProjectId")))));
        }
        return rights;
    }

    private static Set<UUID> messages(String messageIds) {
        var messages = new HashSet<UUID>();
        json(messageIds).forEach(source -> source.forEach(id -> messages.add(UUID.fromString(id.asText()))));
        return messages;
    }

    private static String text(JsonNode assignment, String field) {
        return assignment.hasNonNull(field) ? assignment.get(field).asText() : "-";
    }

    private static JsonNode json(String text) {
        try {
            return JSON.readTree(text);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException(e);
        }
    }
}
