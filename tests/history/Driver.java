package tests.history;

import java.sql.SQLException;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.camel.CamelExecutionException;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import processors.failures.Failures;
import processors.identity.RoleChange;
import tests.support.Causes;
import tests.support.Identity;
import tests.support.TestSystem;

/**
 * Changes everything, at random: through the routes, and in plain SQL as other services do. What fails because of a fault
 * may or may not have been committed; the history knows.
 */
final class Driver {

    private static final int ROLES = 4;
    private static final int HOLDERS = 40;
    private static final int OTHERS = 40;

    private final TestSystem system;
    private final Causes causes;
    private final List<UUID> roles = new CopyOnWriteArrayList<>();
    private final List<UUID> others = new CopyOnWriteArrayList<>();
    private final Set<UUID> everybody = ConcurrentHashMap.newKeySet();
    private final Map<UUID, Set<UUID>> holders = new HashMap<>();
    private final AtomicInteger permissions = new AtomicInteger();
    private final AtomicLong done = new AtomicLong();
    private final Map<String, Integer> failures = new ConcurrentHashMap<>();

    Driver(TestSystem system, Causes causes) {
        this.system = system;
        this.causes = causes;
        var identity = system.identity();
        for (int i = 0; i < ROLES; i++) {
            var role = identity.role("role-" + i);
            var users = identity.usersOf(role, HOLDERS);
            roles.add(role);
            holders.put(role, new HashSet<>(users));
            everybody.addAll(users);
        }
        for (int i = 0; i < OTHERS; i++) {
            others.add(newUser(identity));
        }
    }

    /** By role, the users whose assignments of it are never touched. */
    Map<UUID, Set<UUID>> holders() {
        return holders;
    }

    /** Everybody who ever was. */
    Set<UUID> everybody() {
        return everybody;
    }

    /** What was cut off or refused, and how often. */
    Map<String, Integer> failures() {
        return failures;
    }

    String summary() {
        return done + " changes, "
                + failures.values().stream().mapToInt(Integer::intValue).sum() + " cut off or refused";
    }

    /** One change. */
    void step(Random random) {
        var user = others.get(random.nextInt(others.size()));
        var role = roles.get(random.nextInt(roles.size()));
        try (var session = new Session()) {
            int dice = random.nextInt(100);
            if (dice < 25) {
                causes.grant(user, role);
            } else if (dice < 45) {
                var assignment = session.activeOf(user);
                if (assignment != null) {
                    causes.revoke(assignment);
                }
            } else if (dice < 55) {
                session.sql.update(
                        "update identity.role_assignments set expires_at = clock_timestamp() + ? * interval '1 millisecond'"
                                + " where id = ?",
                        random.nextInt(2_000),
                        session.activeOf(user));
            } else if (dice < 65) {
                session.transaction(random.nextInt(10) == 0, () -> {
                    session.sql.update(
                            "insert into identity.role_assignments (id, user_id, role_id, scope_type) values"
                                    + " (gen_random_uuid(), ?, ?, 'Platform')",
                            user,
                            role);
                    session.announce(user, "AssignmentGranted");
                });
            } else if (dice < 75) {
                session.transaction(random.nextInt(10) == 0, () -> {
                    session.sql.update(
                            "update identity.role_assignments set status = 'Revoked', version = version + 1 where id = ?",
                            session.activeOf(user));
                    session.announce(user, "AssignmentRevoked");
                });
            } else if (dice < 80) {
                session.sql.update("delete from identity.role_assignments where id = ?", session.activeOf(user));
            } else if (dice < 82) {
                causes.archiveUser(user);
            } else if (dice < 83) {
                others.remove(user);
                others.add(newUser(system.identity()));
                session.transaction(false, () -> {
                    session.sql.update("delete from identity.role_assignments where user_id = ?", user);
                    session.sql.update("delete from identity.users where id = ?", user);
                });
            } else if (dice < 86) {
                shortLivedRole(random, session);
            } else if (session.queueIsLong()) {
                return; // more tasks than the workers can walk would only wait
            } else if (dice < 94) {
                causes.change(RoleChange.add(role, "permission-" + permissions.incrementAndGet()));
            } else {
                session.sql.queryForObject("select identity.enqueue_access_fanout(?)", UUID.class, role);
            }
            done.incrementAndGet();
        } catch (CamelExecutionException | DataAccessException | SQLException e) {
            failures.merge(Failures.describe(e).replaceAll("[0-9a-f-]{36}|\\d+", "…"), 1, Integer::sum);
        }
    }

    /** A role that some get and that is archived at once, while they still get it. */
    private void shortLivedRole(Random random, Session session) {
        var role = UUID.randomUUID();
        session.sql.update("insert into identity.role_definitions (id, code) values (?, 'short-lived')", role);
        for (int i = 0; i < 15; i++) {
            causes.grant(others.get(random.nextInt(others.size())), role);
        }
        causes.archiveRole(role);
    }

    private UUID newUser(Identity identity) {
        var user = UUID.randomUUID();
        try (var session = new Session()) {
            session.sql.update("insert into identity.users (id) values (?)", user);
        } catch (SQLException e) {
            throw new org.springframework.dao.DataAccessResourceFailureException("no user", e);
        }
        everybody.add(user);
        return user;
    }

    /** A session of another service. */
    private final class Session implements AutoCloseable {

        private final SingleConnectionDataSource connection;
        private final JdbcTemplate sql;

        Session() throws SQLException {
            connection = new SingleConnectionDataSource(TestSystem.stack().superuser(system.database()), true);
            sql = new JdbcTemplate(connection);
        }

        UUID activeOf(UUID user) {
            return sql
                    .queryForList(
                            "select id from identity.role_assignments where user_id = ? and status = 'Active' order by"
                                    + " random() limit 1",
                            UUID.class,
                            user)
                    .stream()
                    .findFirst()
                    .orElse(null);
        }

        boolean queueIsLong() {
            return sql.queryForObject(
                    "select count(*) > 30 from identity.access_fanout_tasks where status <> 'Completed'",
                    Boolean.class);
        }

        void announce(UUID user, String reason) {
            sql.execute("select identity.announce_access('{" + user + "}', '" + reason + "')");
        }

        void transaction(boolean rollBack, Runnable statements) {
            sql.execute("begin");
            statements.run();
            sql.execute(rollBack ? "rollback" : "commit");
        }

        @Override
        public void close() {
            connection.destroy();
        }
    }
}
