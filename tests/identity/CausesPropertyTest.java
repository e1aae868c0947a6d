package tests.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.IntStream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.ShrinkingMode;
import net.jqwik.api.lifecycle.AfterContainer;
import net.jqwik.api.lifecycle.BeforeContainer;
import org.springframework.jdbc.core.JdbcTemplate;
import processors.identity.AssignmentRejectedException;
import processors.identity.RoleChange;
import tests.support.AccessTopic;
import tests.support.AccessTopic.AccessRecord;
import tests.support.Causes;
import tests.support.TestSystem;

@Label("Random sequences of causes")
class CausesPropertyTest {

    private static final int USERS = 4;
    private static final int ROLES = 3;
    private static final TestSystem SYSTEM = new TestSystem();
    private static Causes causes;
    private static AccessTopic.Tail tail;

    @BeforeContainer
    static void open() throws Exception {
        SYSTEM.open();
        causes = new Causes(SYSTEM.start(
                "identity.expiry.schedule",
                "* * * * * ?",
                "identity.relay.pause",
                "5ms",
                "identity.fanout.inline-threshold",
                "2"));
        tail = SYSTEM.topic().tail();
    }

    @AfterContainer
    static void close() throws Exception {
        tail.close();
        SYSTEM.close();
    }

    /** What somebody does to the platform. */
    enum Act {
        GRANT,
        REVOKE,
        REVOKE_ALL_OF_ROLE,
        CHANGE_ROLE,
        EXPIRE,
        ARCHIVE_USER,
        ARCHIVE_ROLE,
        ANOTHER_SERVICE_GRANTS,
        ANOTHER_SERVICE_REVOKES,
        DELETE_ASSIGNMENT,
        DELETE_USER
    }

    /** @param user and role are the numbers of those whom it is done to */
    record Step(Act act, int user, int role) {}

    @Provide
    Arbitrary<List<Step>> histories() {
        var acts = Arbitraries.frequencyOf(
                net.jqwik.api.Tuple.of(8, Arbitraries.of(Act.GRANT, Act.ANOTHER_SERVICE_GRANTS)),
                net.jqwik.api.Tuple.of(6, Arbitraries.of(Act.REVOKE, Act.EXPIRE, Act.CHANGE_ROLE)),
                net.jqwik.api.Tuple.of(3, Arbitraries.of(Act.ANOTHER_SERVICE_REVOKES, Act.DELETE_ASSIGNMENT)),
                net.jqwik.api.Tuple.of(
                        1,
                        Arbitraries.of(Act.REVOKE_ALL_OF_ROLE, Act.ARCHIVE_USER, Act.ARCHIVE_ROLE, Act.DELETE_USER)));
        return Combinators.combine(
                        acts,
                        Arbitraries.integers().between(0, USERS - 1),
                        Arbitraries.integers().between(0, ROLES - 1))
                .as(Step::new)
                .list()
                .ofMinSize(5)
                .ofMaxSize(30);
    }

    @Property(tries = 12, edgeCases = EdgeCasesMode.NONE, shrinking = ShrinkingMode.OFF)
    @Label(
            "EVT-06 after each cause the last record of every user equals the database, versions never fall, one event per"
                    + " user and cause")
    void lastRecordIsTheDatabase(@ForAll("histories") List<Step> history) {
        var world = new World();
        history.forEach(world::take);
        await().until(() ->
                SYSTEM.identity().outboxRows() + SYSTEM.identity().count("identity.access_announcements") == 0);
        assertThat(tail.rest()).as("events without a cause").isEmpty();
    }

    /** Users and roles of one history, and what a consumer knows of them. */
    private static final class World {

        private final JdbcTemplate sql = SYSTEM.identity().sql();
        private final List<UUID> users = new ArrayList<>();
        private final List<UUID> roles = new ArrayList<>();
        private final Map<UUID, AccessRecord> last = new HashMap<>();
        private final Map<String, Long> versions = new HashMap<>();
        private int permissions;

        World() {
            IntStream.range(0, USERS).forEach(i -> users.add(SYSTEM.identity().user(null)));
            IntStream.range(0, ROLES).forEach(i -> roles.add(SYSTEM.identity().role("role-" + i)));
        }

        void take(Step step) {
            var user = users.get(step.user());
            var role = roles.get(step.role());
            switch (step.act()) {
                case GRANT -> {
                    if (archived(role) || !exists(user)) {
                        assertThatThrownBy(() -> causes.grant(user, role))
                                .rootCause()
                                .isInstanceOf(AssignmentRejectedException.class);
                    } else {
                        causes.grant(user, role);
                        expect(step, Set.of(user), "AssignmentGranted");
                    }
                }
                case REVOKE -> {
                    var assignment = activeOf(user);
                    if (assignment != null) {
                        causes.revoke(assignment);
                        expect(step, Set.of(user), "AssignmentRevoked");
                    }
                }
                case REVOKE_ALL_OF_ROLE -> {
                    var holders = holders(role);
                    if (!holders.isEmpty()) {
                        causes.revoke(sql.queryForList(
                                        "select id from identity.role_assignments where role_id = ?", UUID.class, role)
                                .toArray(UUID[]::new));
                        expect(step, holders, "AssignmentRevoked");
                    }
                }
                case CHANGE_ROLE -> {
                    if (!archived(role)) {
                        causes.change(RoleChange.add(role, "permission-" + permissions++));
                        expect(step, holders(role), "RolePermissionsChanged");
                    }
                }
                case EXPIRE -> {
                    var assignment = activeOf(user);
                    if (assignment != null) {
                        sql.update("update identity.role_assignments set expires_at = now() where id = ?", assignment);
                        expect(step, Set.of(user), "AssignmentExpired");
                    }
                }
                case ARCHIVE_USER -> {
                    if (causes.archiveUser(user).events() > 0) {
                        expect(step, Set.of(user), "AssignmentRevoked");
                    }
                }
                case ARCHIVE_ROLE -> {
                    var holders = holders(role);
                    causes.archiveRole(role);
                    expect(step, holders, "AssignmentRevoked");
                }
                case ANOTHER_SERVICE_GRANTS -> {
                    if (exists(user) && !archived(role)) {
                        transaction(() -> {
                            SYSTEM.identity().assign(user, role);
                            announce(user, "AssignmentGranted");
                        });
                        expect(step, Set.of(user), "AssignmentGranted");
                    }
                }
                case ANOTHER_SERVICE_REVOKES -> {
                    var assignment = activeOf(user);
                    if (assignment != null) {
                        transaction(() -> {
                            sql.update(
                                    "update identity.role_assignments set status = 'Revoked', version = version + 1 where"
                                            + " id = ?",
                                    assignment);
                            announce(user, "AssignmentRevoked");
                        });
                        expect(step, Set.of(user), "AssignmentRevoked");
                    }
                }
                case DELETE_ASSIGNMENT -> {
                    var assignment = activeOf(user);
                    if (assignment != null) {
                        sql.update("delete from identity.role_assignments where id = ?", assignment);
                        expect(step, Set.of(user), "AssignmentRevoked");
                    }
                }
                case DELETE_USER -> {
                    if (exists(user)) {
                        transaction(() -> {
                            sql.update("delete from identity.role_assignments where user_id = ?", user);
                            sql.update("delete from identity.users where id = ?", user);
                        });
                        expect(step, Set.of(user), "AssignmentRevoked");
                    }
                }
            }
        }

        /** Exactly one event for each of these users, and then the consumer knows what the database knows. */
        private void expect(Step cause, Set<UUID> concerned, String reason) {
            var records = tail.next(concerned.size());
            assertThat(records.stream().map(AccessRecord::user).toList())
                    .as("who hears of %s", cause)
                    .containsExactlyInAnyOrderElementsOf(concerned);
            for (var record : records) {
                assertThat(record.event().reason()).as("reason of %s", cause).isEqualTo(reason);
                last.put(record.user(), record);
                versions.merge(
                        record.user() + " " + record.header("VersionSource"),
                        record.event().version(),
                        (before, now) -> {
                            assertThat(now).as("version after %s", cause).isGreaterThanOrEqualTo(before);
                            return now;
                        });
            }
            for (var user : users) {
                var known = last.get(user);
                assertThat(new TreeSet<>(
                                known == null ? List.of() : known.event().assignmentIds()))
                        .as("what a consumer knows of user %s after %s", users.indexOf(user), cause)
                        .isEqualTo(new TreeSet<>(sql.queryForList(
                                "select id from identity.role_assignments where user_id = ? and status = 'Active'",
                                UUID.class,
                                user)));
            }
        }

        private void transaction(Runnable statements) {
            sql.execute("begin");
            statements.run();
            sql.execute("commit");
        }

        private void announce(UUID user, String reason) {
            sql.execute("select identity.announce_access('{" + user + "}', '" + reason + "')");
        }

        private boolean archived(UUID role) {
            return sql.queryForObject(
                    "select status = 'Archived' from identity.role_definitions where id = ?", Boolean.class, role);
        }

        private boolean exists(UUID user) {
            return sql.queryForObject("select exists (select from identity.users where id = ?)", Boolean.class, user);
        }

        private UUID activeOf(UUID user) {
            return sql
                    .queryForList(
                            "select id from identity.role_assignments where user_id = ? and status = 'Active' order by id"
                                    + " limit 1",
                            UUID.class,
                            user)
                    .stream()
                    .findFirst()
                    .orElse(null);
        }

        private Set<UUID> holders(UUID role) {
            return new TreeSet<>(sql.queryForList(
                    "select distinct user_id from identity.role_assignments where role_id = ? and status = 'Active'",
                    UUID.class,
                    role));
        }
    }
}
