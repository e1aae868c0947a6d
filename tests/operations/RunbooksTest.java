package tests.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static tests.operations.OperatedSystem.ACCESS_TOPIC;
import static tests.operations.OperatedSystem.USERS_TOPIC;

import java.util.List;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tests.support.AccessChange;
import tests.support.TestSystem;
import tests.support.UserEvent;

/** Each runbook is followed, from its first command to its last, in the state that it is for. */
@DisplayName("Runbooks")
class RunbooksTest {

    private static OperatedSystem system;

    @BeforeAll
    static void start() throws Exception {
        system = new OperatedSystem();
        system.start();
    }

    @AfterAll
    static void stop() throws Exception {
        system.close();
    }

    @Test
    @DisplayName("FAN-22 fan-out-backlog: a lock holds the workers up; its holder is ended, and the backlog goes")
    void backlog() throws Exception {
        var role = roleWithUsers(3);
        try (var holder = system.stranger("lock table identity.users in access exclusive mode");
                var runbook = system.open("fan-out-backlog")) {
            for (int i = 0; i < 3; i++) {
                system.identity().enqueue(role);
            }
            runbook.look();
            runbook.whenItDoesNotHelp();
            runbook.repair();
            system.endHolder(holder);
            runbook.seeThatItWorked();
        }
        awaitNothingLeft();
    }

    @Test
    @DisplayName(
            "FAN-22 fan-out-stands-still: a lease that nobody works under is ended, and another worker takes the task")
    void standsStill() {
        var task = system.identity().enqueue(roleWithUsers(3));
        await().until(() -> system.identity().status(task).equals("Completed"));
        // As a worker leaves it that has died, or is frozen, before its first page.
        system.sql()
                .update(
                        "update identity.access_fanout_tasks set status = 'InProgress', completed_at = null, cursor = null,"
                                + " processed_count = 0, lease_expires_at = now() + interval '1 hour' where id = ?",
                        task);
        try (var runbook = system.open("fan-out-stands-still").with("TASK_ID", task)) {
            runbook.look();
            runbook.repair();
            runbook.seeThatItWorked();
        }
    }

    @Test
    @DisplayName("FAN-22 fan-out-errors: a right is missing; granted again, what failed finishes by itself")
    void errors() {
        system.sql().execute("revoke insert on identity.outbox from identity_access_worker");
        var task = system.identity().enqueue(roleWithUsers(3));
        try (var runbook = system.open("fan-out-errors")) {
            runbook.look();
            runbook.repair();
            leaseRunsOut(task);
            runbook.seeThatItWorked();
        }
        assertThat(system.identity().task(task))
                .containsEntry("processed_count", 3)
                .containsEntry("attempt_count", 2);
    }

    @Test
    @DisplayName(
            "FAN-22 fan-out-task-failed: a Failed task is replayed from its cursor, or from the start, or goes another way")
    void taskFailed() {
        var identity = system.identity();
        var role = identity.role("poisoned");
        var users =
                identity.usersOf(role, 7).stream().map(UUID::toString).sorted().toList();
        system.sql().execute("""
                        create function identity.refuse() returns trigger language plpgsql as
                            'begin raise exception ''no event for this user''; end';
                        create trigger refuse before insert on identity.outbox for each row
                            when (new.user_id = '%s') execute function identity.refuse();""".formatted(users.get(6)));
        var task = identity.sql()
                .queryForObject(
                        "insert into identity.access_fanout_tasks (role_id, role_version, attempt_count) values (?, 1, 4)"
                                + " returning id",
                        UUID.class,
                        role);
        try (var runbook =
                system.open("fan-out-task-failed").with("TASK_ID", task).with("ROLE_ID", role)) {
            runbook.look();
            runbook.repair(3); // the cause cannot be found tonight
            await().untilAsserted(() -> assertThat(system.sql()
                            .queryForList("select user_id::text from identity.access_announcements", String.class))
                    .as("everybody is told but the one who cannot be")
                    .containsExactly(users.get(6)));
            system.sql().execute("drop trigger refuse on identity.outbox; drop function identity.refuse()");
            runbook.repair(1);
            runbook.seeThatItWorked();
            assertThat(identity.task(task)).as("from its cursor").containsEntry("processed_count", 7);

            fail(task);
            runbook.repair(2);
            runbook.seeThatItWorked();
            assertThat(identity.task(task)).as("from the start").containsEntry("processed_count", 7);
        }
        awaitNothingLeft();
    }

    @Test
    @DisplayName("FAN-22 fan-out-slo: which tasks were late, and that new ones are in time")
    void slo() {
        var role = roleWithUsers(3);
        var late = system.sql().queryForObject("""
                        insert into identity.access_fanout_tasks (role_id, role_version, status, created_at, started_at, completed_at,
                                                                  processed_count, attempt_count)
                        values (?, 1, 'Completed', now() - interval '20 minutes', now() - interval '10 minutes', now(), 40000, 1)
                        returning id""", UUID.class, role);
        try (var runbook = system.open("fan-out-slo").with("TASK_ID", late)) {
            runbook.look();
            system.identity().enqueue(role);
            runbook.seeThatItWorked();
        }
        system.sql().update("delete from identity.access_fanout_tasks where id = ?", late);
        awaitNothingLeft();
    }

    @Test
    @DisplayName("FAN-19 events-undelivered: Kafka takes nothing; once it does, everything goes out by itself")
    void undelivered() throws Exception {
        var kafka = TestSystem.stack().kafka();
        try (var runbook = system.open("events-undelivered")) {
            kafka.stop();
            try {
                system.identity().enqueue(roleWithUsers(5));
                runbook.look(1);
                runbook.look(2);
                runbook.look(3);
                assertThat(system.identity().outboxRows()).isEqualTo(5);
                runbook.repair();
            } finally {
                kafka.restart();
            }
            // As Kafka shows it while a broker is away and another answers.
            system.alterTopic(ACCESS_TOPIC, "min.insync.replicas", "2");
            runbook.look(4);
            system.alterTopic(ACCESS_TOPIC, "min.insync.replicas", null);
            runbook.seeThatItWorked();
        }
        awaitNothingLeft();
    }

    @Test
    @DisplayName("FAN-19 relay-lanes: no instance runs; one that is started takes all lanes")
    void lanes() {
        system.stop();
        try (var runbook = system.open("relay-lanes")) {
            runbook.look();
            runbook.repair();
            system.start();
            runbook.seeThatItWorked();
        } finally {
            system.startIfStopped();
        }
    }

    @Test
    @DisplayName("EVT-04 outbox-parked: the limit is raised, the user told anew, the old row discarded")
    void parked() throws Exception {
        system.alterTopic(ACCESS_TOPIC, "max.message.bytes", "33000");
        var user = userWith(1_000);
        announce(user);
        long row = await().until(
                        () -> system.sql()
                                .queryForList("select id from identity.outbox where parked_at is not null", Long.class),
                        rows -> rows.size() == 1)
                .get(0);
        try (var runbook = system.open("outbox-parked").with("USER_ID", user).with("ROW_ID", row)) {
            runbook.look();
            runbook.repair(1);
            runbook.repair(2);
            await().until(() -> isFresh(user));
            runbook.repair(3);
            runbook.seeThatItWorked();
        } finally {
            system.alterTopic(ACCESS_TOPIC, "max.message.bytes", null);
        }
    }

    @Test
    @DisplayName("EVT-12 announcements-late: somebody holds a user's lock; ended, the announcements go")
    void announcements() throws Exception {
        var user = userWith(1);
        try (var holder = system.stranger("select identity.lock_access('{" + user + "}')");
                var runbook = system.open("announcements-late").with("USER_ID", user)) {
            announce(user);
            runbook.look();
            runbook.repair();
            system.endHolder(holder);
            runbook.seeThatItWorked();
        }
        await().until(() -> isFresh(user));
    }

    @Test
    @DisplayName("OPS-06 job-failures: a right is missing; granted again, the job does what is due")
    void jobFailures() {
        system.sql()
                .execute("revoke update (status, version) on identity.role_assignments from identity_access_assigner");
        var user = userWith(1);
        system.sql().update("update identity.role_assignments set expires_at = now() where user_id = ?", user);
        try (var runbook = system.open("job-failures")) {
            runbook.look();
            runbook.repair();
            runbook.seeThatItWorked();
        }
        assertThat(system.sql()
                        .queryForObject(
                                "select status from identity.role_assignments where user_id = ?", String.class, user))
                .isEqualTo("Expired");
    }

    @Test
    @DisplayName("EVT-09 unknown-scope-type: identity corrects the assignment, the user is told anew and known again")
    void unknownScopeType() {
        var user = userWith(1);
        var assignment = system.sql()
                .queryForObject(
                        "update identity.role_assignments set scope_type = 'Region' where user_id = ? returning id",
                        UUID.class,
                        user);
        announce(user);
        await().until(() -> state(user).equals("Invalidated"));
        try (var runbook =
                system.open("unknown-scope-type").with("USER_ID", user).with("ASSIGNMENT_ID", assignment)) {
            runbook.look();
            system.sql()
                    .update("update identity.role_assignments set scope_type = 'Platform' where id = ?", assignment);
            runbook.repair();
            runbook.seeThatItWorked();
        }
        await().until(() -> isFresh(user));
    }

    @Test
    @DisplayName("EVT-12 consumer-behind: a service does not read; started, it has nothing left to read")
    void consumerBehind() throws Exception {
        var user = userWith(1);
        system.stopRoute("access-cache");
        try (var runbook = system.open("consumer-behind")) {
            announce(user);
            runbook.look();
            runbook.repair();
            system.startRoute("access-cache");
            runbook.seeThatItWorked();
        }
        await().until(() -> isFresh(user));
    }

    @Test
    @DisplayName(
            "REP-21 consumer-waits: a right is missing in the database; granted again, it goes on and nothing is lost")
    void consumerWaits() throws Exception {
        var user = UUID.randomUUID();
        system.sql().execute("revoke insert on news.author_replicas from news_replica");
        try (var runbook = system.open("consumer-waits")) {
            system.send(USERS_TOPIC, UserEvent.upserted(user, 1));
            runbook.look();
            runbook.repair();
            runbook.seeThatItWorked();
        }
        assertThat(system.sql()
                        .queryForObject("select count(*) from news.author_replicas where id = ?", Long.class, user))
                .isEqualTo(1);
    }

    @Test
    @DisplayName("cases 47 consumer-missed-records: what was held is void, and everybody is told anew")
    void missedRecords() throws Exception {
        var user = userWith(1);
        announce(user);
        await().until(() -> isFresh(user));
        system.stopRoute("access-cache");
        announce(user);
        awaitNothingLeft();
        try (var admin = system.admin()) {
            admin.deleteRecords(IntStream.range(0, 6)
                            .boxed()
                            .collect(Collectors.toMap(
                                    partition -> new TopicPartition(ACCESS_TOPIC, partition),
                                    partition -> RecordsToDelete.beforeOffset(-1))))
                    .all()
                    .get();
        }
        system.startRoute("access-cache");
        try (var runbook = system.open("consumer-missed-records")) {
            runbook.look();
            runbook.repair();
            runbook.seeThatItWorked();
            runbook.whenItDoesNotHelp();
        }
        await().until(() -> isFresh(user));
    }

    @Test
    @DisplayName(
            "EVT-12 access-cache-late: a lock holds the cache up; ended, it catches up, and a cache that was voided is known again")
    void cacheLate() throws Exception {
        var user = userWith(1);
        try (var holder = system.stranger("lock table access_cache.user_access in access exclusive mode");
                var runbook = system.open("access-cache-late")) {
            announce(user);
            runbook.look();
            system.endHolder(holder);
            await().until(() -> isFresh(user));
            runbook.repair(1);
            runbook.repair(2);
            runbook.repair(3);
            assertThat(isFresh(user)).as("while it is void").isFalse();
            runbook.repair(4);
            runbook.seeThatItWorked();
        }
        await().until(() -> isFresh(user));
    }

    @Test
    @DisplayName(
            "EVT-08 access-cache-dead-letters: the user is told anew, and letters that nobody needs leave the list")
    void cacheDeadLetters() throws Exception {
        var user = userWith(1);
        system.send(ACCESS_TOPIC, AccessChange.ofAssignments(user, 1).value("broken"));
        try (var runbook =
                system.open("access-cache-dead-letters").with("USER_ID", user).with("LETTER_ID", "0-…")) {
            runbook.look();
            runbook.repair(1);
            runbook.seeThatItWorked();
            runbook.repairInPart(2);
            assertThat(state(user)).as("a letter gives nobody a right").isEqualTo("Invalidated");
            runbook.repair(1);
            runbook.seeThatItWorked();
            runbook.whenItDoesNotHelp();
            assertThat(system.run("dead-letters list --of access-cache").lines())
                    .hasSize(1);
        }
    }

    @Test
    @DisplayName("EVT-09 access-cache-invalidations: an unknown reason; told anew, the user is known again")
    void invalidations() throws Exception {
        var user = userWith(1);
        system.send(ACCESS_TOPIC, AccessChange.of(user, "AssignmentPaused", 1).header("VersionSource", "assignment"));
        try (var runbook = system.open("access-cache-invalidations").with("USER_ID", user)) {
            runbook.look();
            runbook.repair();
            runbook.seeThatItWorked();
        }
    }

    @Test
    @DisplayName("REP-21 news-replica-late: a lock holds the replica up; ended, it catches up")
    void replicaLate() throws Exception {
        try (var holder = system.stranger("lock table news.author_replicas in access exclusive mode");
                var runbook = system.open("news-replica-late")) {
            system.send(USERS_TOPIC, UserEvent.upserted(UUID.randomUUID(), 1));
            runbook.look();
            runbook.repair();
            system.endHolder(holder);
            runbook.seeThatItWorked();
        }
    }

    @Test
    @DisplayName(
            "REP-21 news-replica-dead-letters: the cause mended, letters are replayed; broken ones can leave the list")
    void replicaDeadLetters() throws Exception {
        var user = UUID.randomUUID();
        system.sql().execute("alter table news.author_replicas add constraint c check (display_name <> 'Odd Name')");
        system.send(
                USERS_TOPIC,
                UserEvent.upserted(user, 1, "Odd", "Name"),
                UserEvent.upserted(UUID.randomUUID(), 1).value("broken"));
        var letter = await().until(
                        () -> system.run("dead-letters list")
                                .lines()
                                .filter(line -> line.contains("NEWS_REPLICA_MAPPING_FAILED"))
                                .map(line -> line.split("\t")[0])
                                .findFirst()
                                .orElse(""),
                        id -> !id.isEmpty());
        try (var runbook = system.open("news-replica-dead-letters")
                .with("LETTER_ID", letter)
                .with("USER_ID", user)) {
            runbook.look();
            system.sql().execute("alter table news.author_replicas drop constraint c");
            runbook.repairInPart(1);
            runbook.seeThatItWorked();
            runbook.repair(2);
            runbook.whenItDoesNotHelp();
            assertThat(system.run("dead-letters list").lines()).hasSize(1);
        }
    }

    @Test
    @DisplayName("REP-21 news-replica-unknown-enum: identity sends the user again with known values")
    void replicaUnknownEnum() throws Exception {
        var user = UUID.randomUUID();
        system.send(USERS_TOPIC, UserEvent.upserted(user, 1, "Ivan", "Petrov", "Robot", "Paused"));
        try (var runbook = system.open("news-replica-unknown-enum").with("USER_ID", user)) {
            runbook.look();
            system.send(USERS_TOPIC, UserEvent.upserted(user, 2, "Ivan", "Petrov", "Agent", "Active"));
            runbook.seeThatItWorked();
        }
    }

    @Test
    @DisplayName("OPS-04 instance-not-ready: a topic is missing; created, the instance is ready")
    void notReady() throws Exception {
        var topic = USERS_TOPIC + ".news-identity-users.dlq";
        try (var admin = system.admin()) {
            admin.deleteTopics(List.of(topic)).all().get();
        }
        // The page creates the topic of access events; here it is one that nobody uses at this moment.
        try (var runbook = system.open("instance-not-ready").with(ACCESS_TOPIC, topic)) {
            runbook.look();
            runbook.repair();
            runbook.seeThatItWorked();
        }
    }

    private static UUID roleWithUsers(int count) {
        var role = system.identity().role("agent");
        system.identity().usersOf(role, count);
        return role;
    }

    /** A user with so many assignments. */
    private static UUID userWith(int assignments) {
        var user = system.identity().user(null);
        system.sql()
                .update(
                        "insert into identity.role_assignments (id, user_id, role_id, scope_type)"
                                + " select gen_random_uuid(), ?, ?, 'Platform' from generate_series(1, ?)",
                        user,
                        system.identity().role("agent"),
                        assignments);
        return user;
    }

    private static void announce(UUID user) {
        system.sql().execute("select identity.announce_access('{" + user + "}', 'AssignmentGranted')");
    }

    private static boolean isFresh(UUID user) {
        return !system.sql()
                .queryForList("select from access_cache.current_access where user_id = ?", user)
                .isEmpty();
    }

    private static String state(UUID user) {
        return system
                .sql()
                .queryForList("select state from access_cache.user_access where user_id = ?", String.class, user)
                .stream()
                .findFirst()
                .orElse("");
    }

    private static void fail(UUID task) {
        system.sql()
                .update(
                        "update identity.access_fanout_tasks set status = 'Failed', attempt_count = 5, completed_at = null"
                                + " where id = ?",
                        task);
    }

    /** What five minutes do. */
    private static void leaseRunsOut(UUID task) {
        system.sql()
                .update(
                        "update identity.access_fanout_tasks set lease_expires_at = now() where id = ? and status ="
                                + " 'InProgress'",
                        task);
    }

    private static void awaitNothingLeft() {
        await().until(() -> system.identity().count("identity.access_fanout_tasks where status <> 'Completed'") == 0
                && system.identity().count("identity.access_announcements") == 0
                && system.identity().count("identity.outbox where parked_at is null") == 0);
    }
}
