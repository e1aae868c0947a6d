package tests.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tests.support.AccessTopic;
import tests.support.Metrics;
import tests.support.PostgresProxy;
import tests.support.TestSystem;

@DisplayName("A fan-out that meets a failure")
class FanOutFailureTest {

    @RegisterExtension
    final TestSystem system = new TestSystem();

    @Test
    @DisplayName("FAN-T7 a poison task is Failed after its attempts, the queue goes on, and a replay finishes it")
    void poison() {
        var identity = system.identity();
        var poisoned = identity.role("poisoned");
        var users = identity.usersOf(poisoned, 7);
        var healthy = identity.role("healthy");
        identity.usersOf(healthy, 2);
        refuseEventsOf(users.stream().max(UUID_ORDER).orElseThrow());
        var task = identity.enqueue(poisoned);
        var other = identity.enqueue(healthy);

        var application = system.start(
                "identity.fanout.batch-size", "5",
                "identity.fanout.max-attempts", "2",
                "identity.fanout.max-lease-duration", "1s",
                "identity.fanout.polling-interval", "100ms",
                "identity.measure-interval", "100ms");

        await().untilAsserted(() -> assertThat(identity.status(task)).isEqualTo("Failed"));
        assertThat(identity.status(other)).isEqualTo("Completed");
        assertThat(identity.task(task)).containsEntry("attempt_count", 2).containsEntry("processed_count", 5);
        assertThat(identity.task(task).get("lease_expires_at")).isNull();
        await().untilAsserted(() -> {
            var metrics = Metrics.of(application);
            assertThat(metrics.value("identity_access_fanout_failed_tasks")).isEqualTo(1);
            assertThat(metrics.value("identity_access_fanout_tasks_total{result=\"failed\"}"))
                    .isEqualTo(1);
            assertThat(metrics.value("identity_access_fanout_errors_total")).isEqualTo(2);
        });

        identity.sql().execute("drop trigger refuse on identity.outbox");
        assertThat(system.run("tasks", "replay", task.toString()).exitCode()).isZero();

        await().untilAsserted(() -> assertThat(identity.status(task)).isEqualTo("Completed"));
        assertThat(identity.task(task)).containsEntry("processed_count", 7).containsEntry("attempt_count", 1);
        assertThat(AccessTopic.countByUser(system.topic().records(9)))
                .as("the replay went on from the cursor")
                .hasSize(9)
                .allSatisfy((user, count) -> assertThat(count).isEqualTo(1));
    }

    @Test
    @DisplayName("cases 14: marking a task Failed races with its completion: completion wins")
    void completionWins() {
        var identity = system.identity();
        var task = identity.enqueue(identity.role("agent"));
        identity.sql()
                .update(
                        "update identity.access_fanout_tasks set status = 'InProgress', attempt_count = 5,"
                                + " lease_expires_at = now() - interval '1 second' where id = ?",
                        task);
        // The worker of the last attempt is about to commit its last page when the lease has just run out.
        identity.sql().execute("begin");
        identity.sql()
                .update(
                        "update identity.access_fanout_tasks set status = 'Completed', completed_at = now(),"
                                + " lease_expires_at = null where id = ?",
                        task);
        var application = system.start("identity.fanout.polling-interval", "50ms");
        await().until(() -> Metrics.of(application).value("identity_access_fanout_last_success_timestamp_seconds") > 0);
        identity.sql().execute("commit");

        var after = identity.enqueue(identity.role("another"));
        await().untilAsserted(() -> assertThat(identity.status(after)).isEqualTo("Completed"));
        assertThat(identity.status(task)).isEqualTo("Completed");
        assertThat(Metrics.of(application).value("identity_access_fanout_tasks_total{result=\"failed\"}"))
                .isZero();
    }

    @Test
    @DisplayName("OPS-07 completed tasks leave after their time; Failed and waiting ones, and younger ones, stay")
    void retention() {
        var identity = system.identity();
        var role = identity.role("agent");
        var old = identity.enqueue(role);
        var failed = identity.enqueue(role);
        var young = identity.enqueue(role);
        identity.sql()
                .update(
                        "update identity.access_fanout_tasks set status = 'Completed', completed_at = now() - interval '2"
                                + " hours' where id = ?",
                        old);
        identity.sql()
                .update(
                        "update identity.access_fanout_tasks set status = 'Failed', updated_at = now() - interval '2 hours'"
                                + " where id = ?",
                        failed);
        identity.sql()
                .update(
                        "update identity.access_fanout_tasks set status = 'Completed', completed_at = now() where id = ?",
                        young);

        system.start("identity.retention.completed-tasks", "1h", "identity.retention.schedule", "* * * * * ?");

        await().untilAsserted(() -> assertThat(
                        identity.sql().queryForList("select id from identity.access_fanout_tasks", UUID.class))
                .containsExactlyInAnyOrder(failed, young));
    }

    @Test
    @DisplayName("FAN-06 a task whose last attempt nobody finishes becomes Failed when its lease expires")
    void exhausted() {
        var identity = system.identity();
        var task = identity.enqueue(identity.role("agent"));
        identity.sql()
                .update(
                        "update identity.access_fanout_tasks set status = 'InProgress', attempt_count = 5,"
                                + " lease_expires_at = now() + interval '1 second' where id = ?",
                        task);

        system.start("identity.fanout.polling-interval", "100ms");

        await().untilAsserted(() -> assertThat(identity.status(task)).isEqualTo("Failed"));
        assertThat(identity.task(task)).containsEntry("attempt_count", 5);
    }

    @Test
    @DisplayName(
            "cases 40: a failure in the third of five users rolls the whole page back, and leaves other pages alone")
    void thirdOfFive() {
        var identity = system.identity();
        var role = identity.role("agent");
        var users = identity.usersOf(role, 10).stream().sorted(UUID_ORDER).toList();
        // The event cannot be made: a role code is missing where the snapshot must have one.
        identity.sql().execute("alter table identity.role_definitions alter column code drop not null");
        var codeless = identity.role("codeless");
        identity.assign(users.get(7), codeless);
        identity.sql().update("update identity.role_definitions set code = null where id = ?", codeless);
        var task = identity.enqueue(role);

        system.start(
                "identity.fanout.batch-size", "5",
                "identity.fanout.max-attempts", "1",
                "identity.fanout.polling-interval", "100ms");

        await().untilAsserted(() -> assertThat(identity.status(task)).isEqualTo("Failed"));
        assertThat(identity.task(task)).containsEntry("processed_count", 5).containsEntry("cursor", users.get(4));
        assertThat(system.settled())
                .extracting(record -> record.user())
                .containsExactlyInAnyOrderElementsOf(users.subList(0, 5));
    }

    @Test
    @DisplayName("FAN-11 a checkpoint that fails leaves no event behind; cases 13: the task does not stay stuck")
    void checkpointFails() {
        var identity = system.identity();
        var role = identity.role("agent");
        identity.usersOf(role, 3);
        var task = identity.enqueue(role);
        identity.sql().execute("""
                        create function identity.refuse() returns trigger language plpgsql as
                            'begin raise exception ''no checkpoint today''; end';
                        create trigger refuse before update on identity.access_fanout_tasks for each row
                            when (new.status = 'Completed') execute function identity.refuse();""");

        var application =
                system.start("identity.fanout.max-lease-duration", "1s", "identity.fanout.polling-interval", "100ms");

        await().untilAsserted(() -> assertThat(Metrics.of(application).value("identity_access_fanout_errors_total"))
                .isGreaterThanOrEqualTo(1));
        assertThat(identity.outboxRows()).isZero();
        assertThat(system.topic().records(0)).isEmpty();
        identity.sql().execute("drop trigger refuse on identity.access_fanout_tasks");
        await().untilAsserted(() -> assertThat(identity.status(task)).isEqualTo("Completed"));
        assertThat(system.topic().records(3)).hasSize(3);
    }

    @Test
    @DisplayName("FAN-13 a deadlock is retried within the lease and uses no attempt")
    void deadlockIsRetried() {
        var identity = system.identity();
        var role = identity.role("agent");
        identity.usersOf(role, 3);
        identity.failAppends(3);
        var task = identity.enqueue(role);

        system.start();

        await().untilAsserted(() -> assertThat(identity.status(task)).isEqualTo("Completed"));
        assertThat(identity.task(task)).containsEntry("attempt_count", 1).containsEntry("processed_count", 3);
        assertThat(system.topic().records(3)).hasSize(3);
    }

    @Test
    @DisplayName(
            "FAN-13 connections that are cut in the middle of a task: it goes on where it was, with the same attempt")
    void connectionsCut() {
        var identity = system.identity();
        var role = identity.role("agent");
        identity.usersOf(role, 500);
        var task = identity.enqueue(role);

        system.start("identity.fanout.batch-size", "1");
        for (int cuts = 0; cuts < 5; cuts++) {
            int processed = (int) identity.task(task).get("processed_count");
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(5))
                    .until(() -> (int) identity.task(task).get("processed_count") > processed);
            identity.sql()
                    .queryForList(
                            "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and"
                                    + " usename = 'identity_access' and application_name = 'identity'");
        }

        await().untilAsserted(() -> assertThat(identity.status(task)).isEqualTo("Completed"));
        assertThat(identity.task(task)).containsEntry("attempt_count", 1).containsEntry("processed_count", 500);
        // The relay was cut too, and may have published some rows twice.
        await().until(() -> identity.outboxRows() == 0);
        assertThat(AccessTopic.countByUser(system.topic().settled())).hasSize(500);
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource({
        "the lease of a task, set status           = 'InProgress'",
        "the renewal of a lease, set lease_expires_at = clock_timestamp() +"
    })
    @DisplayName("FAN-13 the answer to a commit is lost: the worker keeps what it has got, with the same attempt:")
    void answerLost(String what, String statement) throws Exception {
        var identity = system.identity();
        var role = identity.role("agent");
        identity.usersOf(role, 3);
        // The first page fails, so that the lease is renewed.
        identity.failAppends(1);
        var task = identity.enqueue(role);

        try (var wire = new PostgresProxy(TestSystem.stack().postgres().getPort())) {
            wire.loseAnswerToCommitOf(statement);
            system.start("identity.db.url", wire.url(system.database()));

            await().untilAsserted(() -> assertThat(identity.status(task)).isEqualTo("Completed"));
            assertThat(wire.hasLostAnswer()).as("answer lost to " + what).isTrue();
            assertThat(identity.task(task)).containsEntry("attempt_count", 1).containsEntry("processed_count", 3);
            await().until(() -> identity.outboxRows() == 0);
            assertThat(system.topic().records(3)).hasSize(3);
        }
    }

    @Test
    @DisplayName("cases 12: a worker whose lease was taken meanwhile rolls its page back and stops")
    void leaseLost() {
        var identity = system.identity();
        var role = identity.role("agent");
        identity.usersOf(role, 4);
        // Another worker takes the task while this one is in the middle of its first page.
        identity.sql().execute("""
                        create function identity.steal() returns trigger language plpgsql security definer as
                            'begin
                               update identity.access_fanout_tasks
                               set attempt_count = attempt_count + 1, lease_expires_at = now() + interval ''1 hour'';
                               return null;
                             end';
                        create trigger steal after insert on identity.outbox execute function identity.steal();""");
        var task = identity.enqueue(role);

        var application = system.start("identity.fanout.batch-size", "2");

        await().untilAsserted(() -> assertThat(
                        Metrics.of(application).value("identity_access_fanout_tasks_total{result=\"lease-lost\"}"))
                .isEqualTo(1));
        assertThat(identity.outboxRows()).isZero();
        assertThat(identity.task(task)).containsEntry("processed_count", 0).containsEntry("status", "InProgress");
        assertThat(system.topic().records(0)).isEmpty();
    }

    @Test
    @DisplayName("cases 22: a server whose default isolation is REPEATABLE READ changes nothing")
    void repeatableReadServer() {
        var identity = system.identity();
        identity.sql()
                .execute("alter database " + system.database()
                        + " set default_transaction_isolation = 'repeatable read'");
        var role = identity.role("agent");
        identity.usersOf(role, 2);
        identity.enqueue(role);

        var application = system.start();

        system.topic().records(2);
        var isolation = new org.springframework.jdbc.core.JdbcTemplate(application
                        .camel()
                        .getRegistry()
                        .lookupByNameAndType("identity-db", javax.sql.DataSource.class))
                .queryForObject("select current_setting('transaction_isolation')", String.class);
        assertThat(isolation).isEqualTo("read committed");
    }

    @Test
    @DisplayName(
            "FAN-06 a page that runs into a time-out every time is retried for a lease, and then uses up its attempt")
    void stuckPage() {
        var identity = system.identity();
        identity.sql().execute("""
                        create function identity.time_out() returns trigger language plpgsql as
                            'begin raise exception ''canceling statement due to lock timeout'' using errcode = ''55P03''; end';
                        create trigger time_out after insert on identity.outbox execute function identity.time_out();""");
        var role = identity.role("agent");
        identity.usersOf(role, 1);
        var stuck = identity.enqueue(role);
        var other = identity.enqueue(identity.role("empty"));

        system.start(
                "identity.fanout.max-lease-duration", "1s",
                "identity.fanout.max-attempts", "2",
                "identity.fanout.polling-interval", "100ms");

        await().atMost(Duration.ofSeconds(30))
                .untilAsserted(() -> assertThat(identity.status(stuck)).isEqualTo("Failed"));
        assertThat(identity.task(stuck)).containsEntry("attempt_count", 2);
        assertThat(identity.status(other)).isEqualTo("Completed");
    }

    private static final java.util.Comparator<UUID> UUID_ORDER =
            (a, b) -> a.toString().compareTo(b.toString());

    private void refuseEventsOf(UUID user) {
        system.identity()
                .sql()
                .execute("create function identity.refuse() returns trigger language plpgsql as"
                        + " 'begin raise exception ''no event for this user''; end';"
                        + " create trigger refuse before insert on identity.outbox for each row when (new.user_id = '"
                        + user + "') execute function identity.refuse();");
    }
}
