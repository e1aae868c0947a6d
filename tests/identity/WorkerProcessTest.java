package tests.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tests.support.AccessTopic;
import tests.support.TestSystem;

@DisplayName("Worker processes")
class WorkerProcessTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    final TestSystem system = new TestSystem();

    @Test
    @DisplayName("FAN-T4 kill -9 in mid-task: resumes from the cursor, nobody is lost, one page twice at most")
    void killed() throws Exception {
        var identity = system.identity();
        var role = identity.role("agent");
        var users = identity.usersOf(role, 2_000);
        var task = identity.enqueue(role);
        var options = new String[] {
            "identity.fanout.batch-size", "10",
            "identity.fanout.max-lease-duration", "2s",
            "identity.fanout.polling-interval", "200ms"
        };

        var first = system.startProcess(options);
        await().atMost(PATIENCE).until(() -> (int) identity.task(task).get("processed_count") >= 300);
        first.kill();
        assertThat(identity.task(task)).containsEntry("status", "InProgress");
        system.startProcess(options);

        await().atMost(PATIENCE).until(() -> identity.status(task).equals("Completed"));
        assertThat(identity.task(task)).containsEntry("attempt_count", 2).containsEntry("processed_count", 2_000);
        await().atMost(PATIENCE).until(() -> identity.outboxRows() == 0);
        var counts = AccessTopic.countByUser(system.topic().records(2_000));
        assertThat(counts).containsOnlyKeys(users);
        // A relay that is killed between Kafka's commit and its own sends a batch again, with the same MessageIds.
        assertThat(messageIds()).as("distinct events: one for each user").hasSize(2_000);
    }

    @Test
    @DisplayName("FAN-T5 two worker processes never work on the same task at once")
    void twoWorkers() throws Exception {
        var identity = system.identity();
        var options = new String[] {"identity.fanout.batch-size", "5", "identity.fanout.polling-interval", "100ms"};
        system.startProcess(options);
        system.startProcess(options);
        var roleByUser = new HashMap<UUID, UUID>();
        var tasks = new ArrayList<UUID>();
        for (int i = 0; i < 40; i++) {
            var role = identity.role("role-" + i);
            identity.usersOf(role, 23).forEach(user -> roleByUser.put(user, role));
            tasks.add(identity.enqueue(role));
        }

        await().atMost(PATIENCE)
                .until(() -> identity.sql()
                                .queryForObject(
                                        "select count(*) from identity.access_fanout_tasks where status = 'Completed'",
                                        Integer.class)
                        == tasks.size());

        assertThat(tasks)
                .allSatisfy(task -> assertThat(identity.task(task))
                        .containsEntry("attempt_count", 1)
                        .containsEntry("processed_count", 23));
        var records = system.topic().records(40 * 23);
        assertThat(AccessTopic.countByUser(records))
                .hasSize(40 * 23)
                .allSatisfy((user, count) -> assertThat(count).isEqualTo(1));
        Map<UUID, Set<String>> runsByRole = new HashMap<>();
        records.forEach(record -> runsByRole
                .computeIfAbsent(roleByUser.get(record.user()), role -> new HashSet<>())
                .add(record.header("CorrelationId")));
        assertThat(runsByRole.values())
                .as("each task in one run of one worker")
                .allSatisfy(runs -> assertThat(runs).hasSize(1));
    }

    @Test
    @DisplayName("FAN-T8 SIGTERM between pages: the pages stay, and the lease is handed back (FAN-14)")
    void stopped() throws Exception {
        var identity = system.identity();
        var role = identity.role("agent");
        identity.usersOf(role, 3_000);
        var task = identity.enqueue(role);
        var options = new String[] {"identity.fanout.batch-size", "10"};

        var first = system.startProcess(options);
        await().atMost(PATIENCE).until(() -> (int) identity.task(task).get("processed_count") >= 200);
        first.terminate();
        assertThat(first.waitForExit(20)).isEqualTo(143);

        var stopped = identity.task(task);
        assertThat(stopped).containsEntry("status", "InProgress").containsEntry("attempt_count", 0);
        assertThat((int) stopped.get("processed_count")).isBetween(200, 2_990);
        assertThat(identity.sql()
                        .queryForObject(
                                "select lease_expires_at <= clock_timestamp() from identity.access_fanout_tasks where id = ?",
                                Boolean.class,
                                task))
                .as("free for others at once")
                .isTrue();
        assertThat(first.output()).contains("lease handed back taskId=" + task);

        system.startProcess(options);
        await().atMost(PATIENCE).until(() -> identity.status(task).equals("Completed"));
        assertThat(identity.task(task)).containsEntry("attempt_count", 1).containsEntry("processed_count", 3_000);
        assertThat(AccessTopic.countByUser(system.settled()))
                .hasSize(3_000)
                .allSatisfy((user, count) -> assertThat(count).isEqualTo(1));
    }

    private Set<String> messageIds() {
        var ids = new HashSet<String>();
        system.topic().records(0).forEach(record -> ids.add(record.header("MessageId")));
        return ids;
    }
}
