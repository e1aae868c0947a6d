package tests.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static tests.support.AccessTopic.countByUser;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tests.support.Causes;
import tests.support.TestSystem;

@DisplayName("Announcements by others")
class AnnouncementsTest {

    /** Long enough to be no help: what comes in time came by notification. */
    private static final String[] NO_POLLING = {
        "identity.jobs.polling-interval", "1h", "identity.expiry.schedule", "0 0 0 1 1 ? 2099"
    };

    @RegisterExtension
    final TestSystem system = new TestSystem();

    @ParameterizedTest(
            name =
                    "EVT-03 announce_access in a {0} transaction, by a caller without rights: published after its commit")
    @ValueSource(
            ints = {
                Connection.TRANSACTION_READ_COMMITTED,
                Connection.TRANSACTION_REPEATABLE_READ,
                Connection.TRANSACTION_SERIALIZABLE
            })
    void announce(int isolation) throws SQLException {
        var identity = system.identity();
        var role = identity.role("agent");
        var users = identity.usersOf(role, 3);
        system.start(NO_POLLING);
        stranger("grant select, insert, update on identity.role_assignments to stranger");

        UUID assignment = UUID.randomUUID();
        try (var service = asStranger();
                var statement = service.createStatement()) {
            service.setAutoCommit(false);
            service.setTransactionIsolation(isolation);
            statement.execute(
                    "insert into identity.role_assignments (id, user_id, role_id, scope_type, version) values ('"
                            + assignment + "', '" + users.get(0) + "', '" + role + "', 'Platform', 4)");
            statement.execute("select identity.announce_access('{" + users.get(0) + "," + users.get(0)
                    + "}', 'AssignmentGranted')");
            statement.execute("select identity.announce_access('{" + users.get(0) + "," + users.get(1)
                    + "}', 'AssignmentGranted')");
            assertThat(system.topic().committed()).as("before the commit").isEmpty();
            service.commit();
        }

        var records = system.settled();
        assertThat(countByUser(records)).as("one event per user and cause").hasSize(2);
        assertThat(records).hasSize(2).allMatch(r -> r.header("VersionSource").equals("assignment"));
        var event = records.stream()
                .filter(r -> r.user().equals(users.get(0)))
                .findFirst()
                .orElseThrow()
                .event();
        assertThat(event.reason()).isEqualTo("AssignmentGranted");
        assertThat(event.version()).isEqualTo(4);
        assertThat(event.assignmentIds()).hasSize(2).contains(assignment);
        await().untilAsserted(() ->
                assertThat(identity.count("identity.access_announcements")).isZero());
    }

    @Test
    @DisplayName("EVT-04 an announcement that is rolled back announces nothing")
    void rolledBack() {
        var identity = system.identity();
        var users = identity.usersOf(identity.role("agent"), 2);
        system.start(NO_POLLING);

        identity.sql().execute("begin");
        announce(users.get(0), "AssignmentRevoked");
        identity.sql().execute("rollback");
        announce(users.get(1), "AssignmentRevoked");

        assertThat(system.topic().records(1))
                .singleElement()
                .satisfies(r -> assertThat(r.user()).isEqualTo(users.get(1)));
    }

    @Test
    @DisplayName("EVT-03 deleting assignments announces what remains, and the version does not fall")
    void deletedAssignments() {
        var identity = system.identity();
        var role = identity.role("agent");
        var user = identity.user(null);
        var kept = identity.assign(user, role);
        var deleted = identity.assign(user, identity.role("developer-manager"));
        identity.sql().update("update identity.role_assignments set version = 9 where id = ?", deleted);
        var causes = new Causes(system.start(NO_POLLING));

        identity.sql().update("delete from identity.role_assignments where id = ?", deleted);
        system.topic().records(1);
        causes.grant(user, role);

        var records = system.topic().records(2);
        assertThat(records)
                .extracting(r -> r.event().reason())
                .containsExactly("AssignmentRevoked", "AssignmentGranted");
        assertThat(records).extracting(r -> r.event().version()).containsExactly(9L, 10L);
        assertThat(records.get(0).event().assignmentIds()).containsExactly(kept);
    }

    @Test
    @DisplayName("EVT-03 deleting a user with everything announces the empty set, once")
    void deletedUser() {
        var identity = system.identity();
        var user = identity.user(UUID.randomUUID());
        var never = identity.user(null);
        var first = identity.assign(user, identity.role("agent"));
        identity.assign(user, identity.role("developer-manager"));
        identity.sql().update("update identity.role_assignments set version = 3 where id = ?", first);
        system.start(NO_POLLING);

        identity.sql().execute("begin");
        identity.sql().update("delete from identity.role_assignments where id = ?", first);
        identity.sql().update("delete from identity.role_assignments where user_id = ?", user);
        identity.sql().update("delete from identity.users where id in (?, ?)", user, never);
        identity.sql().execute("commit");

        var records = system.topic().records(2);
        assertThat(records).hasSize(2).allSatisfy(r -> {
            assertThat(r.event().reason()).isEqualTo("AssignmentRevoked");
            assertThat(r.event().assignmentIds()).isEmpty();
            assertThat(r.event().version()).isEqualTo(r.user().equals(user) ? 3 : 1);
        });
        assertThat(countByUser(records)).containsOnlyKeys(user, never);
    }

    @Test
    @DisplayName("EVT-06 announcements of one user come in the order in which they were made")
    void order() {
        var identity = system.identity();
        var user = identity.usersOf(identity.role("agent"), 1).get(0);
        var reasons = List.of("AssignmentGranted", "AssignmentExpired", "AssignmentRevoked", "AssignmentGranted");
        reasons.forEach(reason -> announce(user, reason));

        system.start();

        assertThat(system.topic().records(4))
                .extracting(r -> r.event().reason())
                .containsExactlyElementsOf(reasons);
    }

    @Test
    @DisplayName("EVT-03 many announcements on two instances: everybody is told once")
    void twoInstances() throws Exception {
        var identity = system.identity();
        identity.usersOf(identity.role("agent"), 3_000);
        system.startProcess("identity.fanout.batch-size", "50");
        system.startProcess("identity.fanout.batch-size", "50");

        identity.sql()
                .execute("select identity.announce_access(array(select id from identity.users), 'AssignmentGranted')");

        var records = system.settled();
        assertThat(records).hasSize(3_000);
        assertThat(countByUser(records)).hasSize(3_000);
    }

    @Test
    @DisplayName("EVT-03 announce_access names what is wrong with its arguments")
    void refused() {
        assertThatThrownBy(() -> announce(UUID.randomUUID(), "Because"))
                .hasMessageContaining("reason 'Because' is unknown; AssignmentGranted, AssignmentRevoked,");
        assertThatThrownBy(() -> system.identity()
                        .sql()
                        .execute("select identity.announce_access('{null}', 'AssignmentGranted')"))
                .hasMessageContaining("user ids without null");
        assertThatThrownBy(() ->
                        system.identity().sql().execute("select identity.announce_access(null, 'AssignmentGranted')"))
                .hasMessageContaining("user ids without null");
        assertThat(system.identity().count("identity.access_announcements")).isZero();
    }

    @Test
    @DisplayName("EVT-03 a user who was announced thousands of times holds up nobody")
    void announcedOverAndOver() {
        var identity = system.identity();
        var users = identity.usersOf(identity.role("agent"), 2);
        identity.sql()
                .update(
                        "insert into identity.access_announcements (user_id, reason, transaction_id) select ?,"
                                + " 'AssignmentGranted', n::text::xid8 from generate_series(1, 4000) n",
                        users.get(0));
        announce(users.get(1), "AssignmentRevoked");

        system.start();

        await().atMost(Duration.ofSeconds(30))
                .until(() -> identity.count("identity.access_announcements") + identity.outboxRows() == 0);
        var counts = countByUser(system.topic().settled());
        assertThat(counts).containsOnlyKeys(users).containsEntry(users.get(1), 1);
        assertThat(counts.get(users.get(0))).isBetween(1, 100);
    }

    @Test
    @DisplayName("OPS-06 who may use the schema cannot forge an announcement of a deletion")
    void forged() throws SQLException {
        stranger("grant create on schema identity to stranger");
        try (var service = asStranger();
                var statement = service.createStatement()) {
            statement.execute("create temporary table mine (user_id uuid, version bigint)");
            for (var function : List.of("announce_deleted_assignments", "announce_deleted_users")) {
                assertThatThrownBy(
                                () -> statement.execute("create trigger t after delete on mine referencing old table as"
                                        + " gone for each statement execute function identity." + function + "()"))
                        .hasMessageContaining("permission denied for function identity." + function);
            }
        }
    }

    private void announce(UUID user, String reason) {
        system.identity().sql().execute("select identity.announce_access('{" + user + "}', '" + reason + "')");
    }

    /** A service with rights on identity's own tables only. */
    private void stranger(String grants) {
        system.identity()
                .sql()
                .execute("do $$ begin create user stranger; exception when duplicate_object then null; end $$;"
                        + "grant usage on schema identity to stranger;" + grants);
    }

    private Connection asStranger() throws SQLException {
        return java.sql.DriverManager.getConnection(TestSystem.stack().url(system.database()), "stranger", "");
    }
}
