package tests.identity;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Properties;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tests.support.Command;
import tests.support.TestSystem;

@DisplayName("Commands")
class CommandsTest {

    @RegisterExtension
    final TestSystem system = new TestSystem();

    @Test
    @DisplayName("FAN-22 enqueue queues a task whatever the size of the role, and tasks list shows it")
    void enqueueAndList() {
        var role = system.identity().role("agent");

        var enqueued = system.run("enqueue", role.toString());
        assertThat(enqueued.exitCode()).as(enqueued.output()).isZero();
        var task = UUID.fromString(enqueued.output().strip().replace("queued task ", ""));
        assertThat(system.identity().task(task)).containsEntry("role_id", role).containsEntry("status", "Pending");

        var listed = system.run("tasks", "list", "--status", "Pending");
        assertThat(listed.exitCode()).isZero();
        assertThat(listed.output().lines()).hasSize(2).last().asString().startsWith(task + "\tPending\t" + role);
        assertThat(system.run("tasks", "list", "--status", "Failed").output().lines())
                .hasSize(1);
    }

    @Test
    @DisplayName("FAN-22 tasks replay takes Failed tasks only; from the start on request")
    void replay() {
        var identity = system.identity();
        var task = identity.enqueue(identity.role("agent"));

        var refused = system.run("tasks", "replay", task.toString());
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.output().lines()).containsExactly("task " + task + " does not exist or is not Failed");

        fail(task);
        assertThat(system.run("tasks", "replay", task.toString()).exitCode()).isZero();
        assertThat(identity.task(task))
                .containsEntry("status", "Pending")
                .containsEntry("attempt_count", 0)
                .containsEntry("processed_count", 10);
        assertThat(identity.task(task).get("cursor")).isNotNull();

        fail(task);
        assertThat(system.run("tasks", "replay", task.toString(), "--from-start")
                        .exitCode())
                .isZero();
        assertThat(identity.task(task)).containsEntry("processed_count", 0).containsEntry("cursor", null);
    }

    @Test
    @DisplayName("EVT-04 outbox list --parked shows parked events without their payload, and discard takes no other")
    void parked() {
        var identity = system.identity();
        var parked = append("{\"UserId\":\"secret-assignments\"}");
        var waiting = append("{}");
        identity.sql()
                .update(
                        "update identity.outbox set parked_at = now(), parked_reason = 'too large' where id = ?",
                        parked);

        var listed = system.run("outbox", "list", "--parked");
        assertThat(listed.exitCode()).as(listed.output()).isZero();
        assertThat(listed.output().lines())
                .hasSize(2)
                .last()
                .asString()
                .startsWith(parked + "\t")
                .endsWith("\ttoo large");
        assertThat(listed.output()).doesNotContain("secret-assignments");

        assertThat(system.run("outbox", "discard", Long.toString(waiting)).exitCode())
                .isEqualTo(1);
        assertThat(system.run("outbox", "discard", Long.toString(parked)).exitCode())
                .isZero();
        assertThat(identity.sql().queryForList("select id from identity.outbox", Long.class))
                .containsExactly(waiting);
    }

    private long append(String payload) {
        return system.identity()
                .sql()
                .queryForObject(
                        "insert into identity.outbox (user_id, correlation_id, version_source, payload) values"
                                + " (gen_random_uuid(), gen_random_uuid(), 'assignment', convert_to(?, 'UTF8')) returning id",
                        Long.class,
                        payload);
    }

    @Test
    @DisplayName("OPS-01 an error is one line on standard error, and the exit code is not 0")
    void errors() {
        var unknown = UUID.randomUUID();
        refused(1, "role " + unknown + " does not exist", system.settings(), "enqueue", unknown.toString());
        var noDatabase = system.settings("identity.db.url", "jdbc:postgresql://localhost:1/nothing");
        refused(1, "the database cannot be used: ", noDatabase, "tasks", "list");
        refused(2, "agent", system.settings(), "enqueue", "agent");
        refused(2, "frobnicate", system.settings(), "frobnicate");
        refused(1, "missing.properties", system.settings(), "migrate", "--config", "missing.properties");
    }

    /** As a process: what its log prints besides is what this is about. */
    private static void refused(int exitCode, String message, Properties settings, String... command) {
        var refused = Command.runAsProcess(settings, command);

        assertThat(refused.exitCode()).as(refused.output()).isEqualTo(exitCode);
        assertThat(refused.err().lines()).singleElement().asString().contains(message);
        assertThat(refused.out()).isEmpty();
    }

    @Test
    @DisplayName("OPS-03 migrate is a command of its own, and can be run again")
    void migrate() {
        var again = system.run("migrate");

        assertThat(again.exitCode()).as(again.output()).isZero();
        assertThat(again.output()).contains("applied 0 migrations");
    }

    private void fail(UUID task) {
        system.identity()
                .sql()
                .update(
                        "update identity.access_fanout_tasks set status = 'Failed', attempt_count = 5, processed_count ="
                                + " 10, cursor = gen_random_uuid() where id = ?",
                        task);
    }
}
