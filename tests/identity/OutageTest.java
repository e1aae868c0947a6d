package tests.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import app.AccessApplication;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tests.support.AccessTopic;
import tests.support.ManagementPort;
import tests.support.Metrics;
import tests.support.PostgresProxy;
import tests.support.TestSystem;

@DisplayName("An outage")
class OutageTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    final TestSystem system = new TestSystem();

    @Test
    @DisplayName(
            "OPS-04 Kafka away at the start: alive, not ready, the queue works, the rows wait; back: all of them go out")
    void kafkaAwayAtStart() {
        var identity = system.identity();
        var role = identity.role("agent");
        identity.usersOf(role, 20);
        var task = identity.enqueue(role);
        TestSystem.stack().kafka().stop();
        try {
            var application = system.start();
            await().atMost(PATIENCE).until(() -> identity.status(task).equals("Completed"));
            assertThat(identity.outboxRows()).isEqualTo(20);
            assertThat(ManagementPort.of(application).isLive()).isTrue();
            var ready = ManagementPort.of(application).readiness();
            assertThat(ready.statusCode()).isEqualTo(503);
            assertThat(ready.body()).contains("Kafka");
        } finally {
            TestSystem.stack().kafka().restart();
        }

        assertThat(AccessTopic.countByUser(system.topic().records(20))).hasSize(20);
        await().atMost(PATIENCE).until(() -> identity.outboxRows() == 0);
    }

    @Test
    @DisplayName(
            "cases 5: Kafka goes away while events flow: nothing is lost, and work goes on without a restart of ours")
    void kafkaGoesAway() {
        var identity = system.identity();
        var role = identity.role("agent");
        identity.usersOf(role, 600);
        var lag = "identity_access_consumer_lag{group=\"nobody\"}";
        var application = system.start(
                "identity.fanout.batch-size", "20",
                "identity.access-groups", "nobody",
                "identity.fanout.max-group-lag", "0",
                "identity.measure-interval", "200ms");
        identity.enqueue(role);
        system.topic().records(100);
        await().atMost(PATIENCE).until(() -> Metrics.of(application).value(lag) >= 100);

        TestSystem.stack().kafka().stop();
        var during = identity.enqueue(role);
        try {
            await().atMost(PATIENCE)
                    .until(() -> Double.isNaN(Metrics.of(application).value(lag)));
            await().atMost(PATIENCE).until(() -> identity.status(during).equals("Completed"));
            assertThat(identity.outboxRows()).isGreaterThanOrEqualTo(600);
        } finally {
            TestSystem.stack().kafka().restart();
        }

        await().atMost(PATIENCE).until(() -> identity.outboxRows() == 0);
        assertThat(AccessTopic.countByUser(system.topic().records(1_200)))
                .hasSize(600)
                .allSatisfy((user, count) -> assertThat(count).isGreaterThanOrEqualTo(2));
    }

    @Test
    @DisplayName(
            "OPS-04 PostgreSQL away at the start and later: alive, not ready; back: work goes on without a restart (cases 8)")
    void postgresAway() throws Exception {
        var identity = system.identity();
        var role = identity.role("agent");
        identity.usersOf(role, 400);
        try (var wire = new PostgresProxy(TestSystem.stack().postgres().getPort())) {
            wire.cut();
            var application = system.start(
                    "identity.db.url", wire.url(system.database()),
                    "identity.fanout.batch-size", "5",
                    "identity.measure-interval", "200ms");
            assertThat(ManagementPort.of(application).isLive()).isTrue();
            var ready = ManagementPort.of(application).readiness();
            assertThat(ready.statusCode()).isEqualTo(503);
            assertThat(ready.body())
                    .contains("the identity database cannot be reached")
                    .doesNotContain("password");

            var task = identity.enqueue(role);
            wire.mend();
            await().atMost(PATIENCE).until(() -> (int) identity.task(task).get("processed_count") > 50);
            wire.cut();
            await().atMost(PATIENCE)
                    .until(() -> ManagementPort.of(application).readiness().statusCode() == 503);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(measured(application))
                            .as("what cannot be measured")
                            .containsOnly(Double.NaN));
            assertThat(Metrics.of(application).value("instance_check_up{check=\"identity-database\"}"))
                    .isZero();
            wire.mend();

            await().atMost(PATIENCE).until(() -> identity.status(task).equals("Completed"));
            assertThat(identity.task(task)).containsEntry("attempt_count", 1).containsEntry("processed_count", 400);
            assertThat(AccessTopic.countByUser(system.topic().records(400))).hasSize(400);
            await().atMost(PATIENCE).until(ManagementPort.of(application)::isReady);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(measured(application))
                            .as("what is measured again")
                            .doesNotContain(Double.NaN));
        }
    }

    /** The gauges that need the database. */
    private static List<Double> measured(AccessApplication application) {
        var metrics = Metrics.of(application);
        return Stream.of(
                        "identity_access_fanout_queue_backlog",
                        "identity_access_fanout_failed_tasks",
                        "identity_access_fanout_oldest_age_seconds",
                        "identity_outbox_backlog",
                        "identity_outbox_oldest_age_seconds",
                        "identity_outbox_parked",
                        "identity_access_announcements_backlog",
                        "identity_access_announcements_oldest_age_seconds")
                .map(metrics::value)
                .toList();
    }

    @Test
    @DisplayName("OPS-04 the management port shows health and metrics, Camel's own of every route included")
    void management() {
        var application = system.start();

        await().atMost(PATIENCE).until(ManagementPort.of(application)::isReady);
        assertThat(ManagementPort.of(application).isLive()).isTrue();
        assertThat(ManagementPort.of(application).get("/observe/metrics").body())
                .contains("identity_access_fanout_queue_backlog")
                .contains("routeId=\"fan-out-page\"")
                .contains("routeId=\"access-snapshots\"")
                .contains("routeId=\"relay-batch\"");
    }
}
