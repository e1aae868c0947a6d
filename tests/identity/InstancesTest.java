package tests.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import tests.support.AccessTopic;
import tests.support.Metrics;
import tests.support.Rival;
import tests.support.TestSystem;
import tests.support.WorkerProcess;

@DisplayName("Several instances")
class InstancesTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    final TestSystem system = new TestSystem();

    @Test
    @DisplayName(
            "EVT-06 two instances killed, stopped, frozen and restarted in turn under load: order per key kept, nothing lost")
    void inTurn() throws Exception {
        var options = new String[] {"identity.relay.lane-lease", "1s", "identity.relay.heartbeat-interval", "200ms"};
        var instances =
                new ArrayList<WorkerProcess>(List.of(system.startProcess(options), system.startProcess(options)));
        var users = new ArrayList<UUID>();
        for (int i = 0; i < 20; i++) {
            users.add(UUID.randomUUID());
        }
        int version = 0;
        for (int turn = 0; turn < 6; turn++) {
            var leaving = instances.remove(0);
            if (turn % 2 == 0) {
                leaving.kill();
            } else {
                leaving.terminate();
            }
            instances.add(system.startProcess(options));
            for (int i = 0; i < 150; i++) {
                version++;
                append(users, version);
            }
            leaving.waitForExit(20);
        }
        // Frozen with whatever it has in hand: its lanes are taken over, and it wakes up behind its successor.
        var frozen = instances.get(0);
        frozen.freeze();
        for (int i = 0; i < 300; i++) {
            append(users, ++version);
        }
        await().atMost(PATIENCE).until(() -> system.identity().outboxRows() == 0);
        frozen.thaw();
        for (int i = 0; i < 150; i++) {
            append(users, ++version);
        }

        await().atMost(PATIENCE).until(() -> system.identity().outboxRows() == 0);
        var versions = new HashMap<UUID, List<Long>>();
        var seen = new HashSet<String>();
        for (var record : system.topic().settled()) {
            if (seen.add(record.header("MessageId"))) { // a batch may come twice, with the same MessageIds
                versions.computeIfAbsent(record.user(), user -> new ArrayList<>())
                        .add(record.event().version());
            }
        }
        int last = version;
        assertThat(versions).containsOnlyKeys(users);
        assertThat(versions.values())
                .allSatisfy(
                        ofUser -> assertThat(ofUser).hasSize(last).isSorted().doesNotHaveDuplicates());
        assertThat(lastVersions())
                .as("what comes last is what was committed last, also where a batch came twice")
                .allSatisfy((user, v) -> assertThat(v).isEqualTo(last));
    }

    @Test
    @DisplayName("EVT-04 lanes are shared by the instances that live, and taken over from one that was killed")
    void sharedLanes() throws Exception {
        var options = new String[] {"identity.relay.lane-lease", "1s", "identity.relay.heartbeat-interval", "200ms"};
        var first = system.startProcess(options);
        await().atMost(PATIENCE).until(() -> lanesByHolder().equals(List.of(4L)));
        system.startProcess(options);
        await().atMost(PATIENCE).until(() -> lanesByHolder().equals(List.of(2L, 2L)));

        first.kill();

        await().atMost(PATIENCE).until(() -> lanesByHolder().equals(List.of(4L)));
        var user = UUID.randomUUID();
        append(List.of(user), 1);
        assertThat(system.topic().records(1))
                .extracting(record -> record.user())
                .containsExactly(user);
    }

    @Test
    @DisplayName(
            "cases 12: a worker frozen beyond its lease changes nothing when it wakes up; nobody is lost or told twice over")
    void frozenWorker() throws Exception {
        var identity = system.identity();
        var role = identity.role("agent");
        identity.usersOf(role, 1_000);
        var task = identity.enqueue(role);
        var options = new String[] {
            "identity.fanout.batch-size", "10",
            "identity.fanout.max-lease-duration", "5s",
            "identity.fanout.polling-interval", "200ms",
            "identity.relay.lane-lease", "2s",
            "identity.relay.heartbeat-interval", "500ms"
        };
        var frozen = system.startProcess(options);
        await().atMost(PATIENCE).until(() -> (int) identity.task(task).get("processed_count") >= 200);
        frozen.freeze();
        var second = system.startProcess(options);

        await().atMost(PATIENCE).until(() -> (int) identity.task(task).get("attempt_count") == 2);
        frozen.thaw();

        await().atMost(PATIENCE).until(() -> identity.status(task).equals("Completed"));
        await().atMost(PATIENCE).until(() -> identity.outboxRows() == 0);
        assertThat(identity.task(task)).containsEntry("processed_count", 1_000).containsEntry("attempt_count", 2);
        var messages = new HashSet<String>();
        var records = system.topic().settled();
        records.forEach(record -> messages.add(record.header("MessageId")));
        assertThat(AccessTopic.countByUser(records)).hasSize(1_000);
        assertThat(messages)
                .as("one event for each user: no page of the frozen worker was added")
                .hasSize(1_000);
        await().atMost(PATIENCE).until(() -> frozen.output().contains("lease lost taskId=" + task));
        assertThat(second.alive()).isTrue();
    }

    @Test
    @DisplayName(
            "cases 17: PostgreSQL crashes and recovers in the middle of a page: the task goes on, with the same attempt")
    void postgresCrash() throws Exception {
        var identity = system.identity();
        var role = identity.role("agent");
        var waitedFor = identity.usersOf(role, 2_000).stream()
                .map(UUID::toString)
                .sorted()
                .toList()
                .get(1_500);
        var task = identity.enqueue(role);
        try (var rival = new Rival(system.database(), "select identity.lock_access('{" + waitedFor + "}')")) {
            system.startProcess("identity.fanout.batch-size", "10", "identity.fanout.polling-interval", "200ms");
            rival.awaitWaiting();

            identity.crashServer();
        }

        await().atMost(PATIENCE).until(() -> identity.status(task).equals("Completed"));
        await().atMost(PATIENCE).until(() -> identity.outboxRows() == 0);
        assertThat(identity.task(task)).containsEntry("attempt_count", 1).containsEntry("processed_count", 2_000);
        assertThat(AccessTopic.countByUser(system.topic().settled())).hasSize(2_000);
    }

    @Test
    @DisplayName(
            "FAN-20 back-pressure: while the relay is away a worker fills the outbox to its limit and waits, and no further")
    void backPressure() throws Exception {
        var identity = system.identity();
        var role = identity.role("agent");
        identity.usersOf(role, 500);
        var application = system.start(
                "identity.fanout.batch-size", "5",
                "identity.fanout.max-outbox-rows", "100",
                "camel.main.auto-startup-exclude-pattern", "relay-heartbeat,relay-wake,relay-measure");
        var task = identity.enqueue(role);

        await().atMost(PATIENCE)
                .untilAsserted(
                        () -> assertThat(Metrics.of(application).value("identity_access_fanout_relay_waits_total"))
                                .isGreaterThan(3));
        assertThat(identity.outboxRows()).isBetween(100L, 120L);
        assertThat(identity.status(task)).isEqualTo("InProgress");

        application.camel().getRouteController().startRoute("relay-heartbeat");
        application.camel().getRouteController().startRoute("relay-wake");

        await().atMost(PATIENCE).until(() -> identity.status(task).equals("Completed"));
        assertThat(AccessTopic.countByUser(system.topic().records(500))).hasSize(500);
    }

    @Test
    @Tag("long")
    @Timeout(600)
    @DisplayName("FAN-20 two large roles are walked side by side by two worker processes; the times are printed")
    void sideBySide() throws Exception {
        var first = system.startProcess(List.of("-Xmx512m"), "identity.fanout.polling-interval", "200ms");
        system.startProcess(List.of("-Xmx512m"), "identity.fanout.polling-interval", "200ms");
        for (int warmUp = 0; warmUp < 3; warmUp++) {
            twoLargeRoles();
        }

        double together = twoLargeRoles();
        first.terminate();
        first.waitForExit(20);
        double alone = twoLargeRoles();

        System.out.printf("two roles: %.1f s on one worker, %.1f s on two%n", alone, together);
        assertThat(system.identity()
                        .sql()
                        .queryForObject(
                                "select max(started_at) < min(completed_at) from (select * from"
                                        + " identity.access_fanout_tasks order by created_at offset 6 limit 2) t",
                                Boolean.class))
                .as("the tasks of the run with two workers overlapped")
                .isTrue();
    }

    /** Seconds from queueing two tasks of 100,000 users each to the completion of both. */
    private double twoLargeRoles() {
        var identity = system.identity();
        var tasks = new ArrayList<UUID>();
        for (var code : List.of("first", "second")) {
            var role = identity.role(code);
            identity.usersOf(role, 100_000);
            tasks.add(role);
        }
        identity.sql().execute("analyze identity.role_assignments");
        long begun = System.nanoTime();
        tasks.replaceAll(identity::enqueue);
        await().atMost(Duration.ofMinutes(2))
                .pollInterval(Duration.ofMillis(50))
                .until(() ->
                        tasks.stream().allMatch(task -> identity.status(task).equals("Completed")));
        double seconds = (System.nanoTime() - begun) / 1e9;
        await().atMost(Duration.ofMinutes(2)).until(() -> identity.outboxRows() == 0);
        return seconds;
    }

    @Test
    @DisplayName("EVT-04 an instance that alone is cut off from Kafka gives its lanes to one that is not")
    void cutOffFromKafka() {
        var quick = new String[] {"identity.relay.lane-lease", "1s", "identity.relay.heartbeat-interval", "200ms"};
        system.start("kafka.brokers", "localhost:1", quick[0], quick[1], quick[2], quick[3]);
        await().atMost(PATIENCE).until(() -> lanesByHolder().equals(List.of(4L)));
        var users = new ArrayList<UUID>();
        for (int i = 0; i < 40; i++) {
            users.add(UUID.randomUUID());
        }
        append(users, 1);

        system.start(quick);

        await().atMost(PATIENCE).until(() -> system.identity().outboxRows() == 0);
        assertThat(AccessTopic.countByUser(system.topic().records(40))).containsOnlyKeys(users);
    }

    private HashMap<UUID, Long> lastVersions() {
        var last = new HashMap<UUID, Long>();
        system.topic()
                .settled()
                .forEach(record -> last.put(record.user(), record.event().version()));
        return last;
    }

    private List<Long> lanesByHolder() {
        return system.identity()
                .sql()
                .queryForList(
                        "select count(*) from identity.relay_lanes where holder is not null group by holder order by 1",
                        Long.class);
    }

    private void append(List<UUID> users, long version) {
        system.identity()
                .sql()
                .update(
                        """
                        insert into identity.outbox (user_id, correlation_id, version_source, payload)
                        select u, gen_random_uuid(), 'assignment', convert_to('{"UserId":"' || u
                            || '","ChangeReason":"AssignmentGranted","ActiveAssignments":[],"Version":' || ? || '}', 'UTF8')
                        from unnest(?::uuid[]) u""",
                        version,
                        "{"
                                + String.join(
                                        ",", users.stream().map(UUID::toString).toList()) + "}");
    }
}
