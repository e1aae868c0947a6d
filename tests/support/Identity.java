package tests.support;

import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;

/** Identity's database as its owner sees it: what the platform does to it, and what the tests look at. */
public final class Identity implements AutoCloseable {

    private final String url;
    private JdbcTemplate sql;

    /** The identity schema of the database at this URL. */
    public Identity(String url) {
        this.url = url;
        this.sql = connect();
    }

    private JdbcTemplate connect() {
        return new JdbcTemplate(new SingleConnectionDataSource(url, "postgres", "", true));
    }

    /**
     * Kills a server process, whereupon PostgreSQL ends all others and recovers from its log, and waits until it takes
     * connections again.
     */
    public void crashServer() {
        int backend = sql.queryForObject("select pg_backend_pid()", Integer.class);
        ProcessHandle.of(backend).orElseThrow().destroyForcibly();
        await().atMost(Duration.ofSeconds(30)).ignoreExceptions().until(() -> {
            sql = connect();
            return sql.queryForObject("select not pg_is_in_recovery()", Boolean.class);
        });
    }

    /** Plain SQL, as the superuser. */
    public JdbcTemplate sql() {
        return sql;
    }

    public UUID role(String code, String... permissions) {
        var role = UUID.randomUUID();
        sql.update("insert into identity.role_definitions (id, code) values (?, ?)", role, code);
        for (var permission : permissions) {
            sql.update(
                    "insert into identity.role_permissions (role_id, permission_code) values (?, ?)", role, permission);
        }
        return role;
    }

    public UUID user(@Nullable UUID company) {
        var user = UUID.randomUUID();
        sql.update("insert into identity.users (id, company_id) values (?, ?)", user, company);
        return user;
    }

    /** A platform-wide assignment. */
    public UUID assign(UUID user, UUID role) {
        var assignment = UUID.randomUUID();
        sql.update(
                "insert into identity.role_assignments (id, user_id, role_id, scope_type) values (?, ?, ?, 'Platform')",
                assignment,
                user,
                role);
        return assignment;
    }

    /** New users, each with one assignment of the role. */
    public List<UUID> usersOf(UUID role, int count) {
        var users = new ArrayList<>(sql.queryForList("""
                with fresh as (
                    insert into identity.users (id, company_id)
                    select gen_random_uuid(), gen_random_uuid() from generate_series(1, ?) returning id)
                select id from fresh""", UUID.class, count));
        sql.update(
                """
                insert into identity.role_assignments (id, user_id, role_id, scope_type)
                select gen_random_uuid(), u, ?, 'Platform' from unnest(?::uuid[]) u""",
                role,
                "{" + String.join(",", users.stream().map(UUID::toString).toList()) + "}");
        return users;
    }

    public UUID enqueue(UUID role) {
        return sql.queryForObject("select identity.enqueue_access_fanout(?)", UUID.class, role);
    }

    public Map<String, Object> task(UUID id) {
        return sql.queryForMap("select * from identity.access_fanout_tasks where id = ?", id);
    }

    public String status(UUID task) {
        return (String) task(task).get("status");
    }

    /** So many attempts to append events end as a deadlock would; then they succeed. */
    public void failAppends(int times) {
        sql.execute("""
                        create sequence identity.tries;
                        create function identity.deadlock() returns trigger language plpgsql security definer as
                            'begin
                               if nextval(''identity.tries'') <= %d then
                                 raise exception ''marked words'' using errcode = ''40P01'';
                               end if;
                               return null;
                             end';
                        create trigger deadlock after insert on identity.outbox execute function identity.deadlock();""".formatted(times));
    }

    public long outboxRows() {
        return count("identity.outbox");
    }

    public long count(String table) {
        return sql.queryForObject("select count(*) from " + table, Long.class);
    }

    @Override
    public void close() {
        ((SingleConnectionDataSource) sql.getDataSource()).destroy();
    }
}
