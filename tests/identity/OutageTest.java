package tests.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import app.AccessApplication;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tests.support.AccessTopic;
import tests.support.Causes;
import tests.support.ManagementPort;
import tests.support.Metrics;
import tests.support.PostgresProxy;
import tests.support.ProductionLog;
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
            var port = ManagementPort.of(application);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(port.readiness().body()).contains("Kafka cannot be reached"));
            assertThat(port.isReady()).isFalse();
            assertThat(port.isLive()).isTrue();
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
            "cases 6: a Kafka that takes connections and never answers holds up no grant, no revoke and no fan-out")
    void muteKafka() throws Exception {
        var identity = system.identity();
        var role = identity.role("agent");
        identity.usersOf(role, 20);
        try (var mute = new ServerSocket(0)) {
            var application = system.start(
                    "kafka.brokers", "localhost:" + mute.getLocalPort(), "identity.fanout.inline-threshold", "0");
            var causes = new Causes(application);

            causes.revoke(causes.grant(identity.user(null), role));
            var task = identity.enqueue(role);

            await().atMost(PATIENCE).until(() -> identity.status(task).equals("Completed"));
            assertThat(identity.outboxRows()).isEqualTo(22);
            var port = ManagementPort.of(application);
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(port.readiness().body()).contains("Kafka"));
            assertThat(port.isReady()).isFalse();
        }
    }

    @Test
    @DisplayName(
            "OPS-04 while Kafka and PostgreSQL answer nobody, probes of readiness hold up no probe of liveness and no scrape")
    void probesDoNotWait() throws Exception {
        try (var mute = new ServerSocket(0)) {
            var muteServer = "localhost:" + mute.getLocalPort();
            var application = system.start(
                    "kafka.brokers", muteServer, "identity.db.url", "jdbc:postgresql://" + muteServer + "/nothing");
            var port = ManagementPort.of(application);
            var begun = System.nanoTime();
            var probes = Stream.generate(() -> CompletableFuture.supplyAsync(port::readiness))
                    .limit(10)
                    .toList();

            assertThat(port.isLive()).isTrue();
            assertThat(port.get("/observe/metrics").statusCode()).isEqualTo(200);
            assertThat(probes).extracting(probe -> probe.join().statusCode()).containsOnly(503);
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .as("ten probes that ask each server for a second and more would take half a minute")
                    .isLessThan(Duration.ofSeconds(15));
        }
    }

    @Test
    @DisplayName(
            "OPS-04 PostgreSQL away at the start and later: alive, not ready; back: work goes on without a restart (cases 8)")
    void postgresAway() throws Exception {
        var identity = system.identity();
        var role = identity.role("agent");
        identity.usersOf(role, 400);
        try (var wire = new PostgresProxy(TestSystem.stack().postgres().getPort());
                var log = new ProductionLog()) {
            wire.cut();
            var application = system.start(
                    "identity.db.url", wire.url(system.database()),
                    "identity.fanout.batch-size", "5",
                    "identity.measure-interval", "200ms");
            var port = ManagementPort.of(application);
            await().atMost(PATIENCE)
                    .untilAsserted(() ->
                            assertThat(port.readiness().body()).contains("the identity database cannot be reached"));
            assertThat(port.readiness().body()).doesNotContain("password");
            assertThat(port.isReady()).isFalse();
            assertThat(port.isLive()).isTrue();

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
            assertThat(log.warnings())
                    .as("lines of two outages: each part of it says it once in 30 s")
                    .hasSizeLessThan(20);
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
