package tests.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tests.support.Metrics;
import tests.support.TestSystem;

@DisplayName("Pacing")
class PacingTest {

    @RegisterExtension
    final TestSystem system = new TestSystem();

    @Test
    @DisplayName(
            "EVT-12 a fan-out does not run ahead of a consumer: it stops while the group is far behind, and goes on with it")
    void waitsForConsumer() {
        var identity = system.identity();
        var role = identity.role("agent");
        identity.usersOf(role, 1_000);
        var group = "gateway-" + system.database();
        try (var consumer = new KafkaConsumer<>(
                Map.<String, Object>of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        TestSystem.stack().kafka().brokers(),
                        ConsumerConfig.GROUP_ID_CONFIG,
                        group,
                        ConsumerConfig.AUTO_OFFSET_RESET_CONFIG,
                        "earliest",
                        ConsumerConfig.ENABLE_AUTO_COMMIT_CONFIG,
                        "false",
                        ConsumerConfig.MAX_POLL_RECORDS_CONFIG,
                        "50",
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                        "read_committed"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(system.topic().name()));
            await().until(() -> {
                consumer.poll(Duration.ofMillis(100));
                return consumer.assignment().size() == 6;
            });
            consumer.assignment().forEach(consumer::position); // before it is known, nothing would be committed
            consumer.commitSync(); // at the beginning: a group that is known

            var application = system.start(
                    "identity.fanout.batch-size", "5",
                    "identity.access-groups", group,
                    "identity.fanout.max-group-lag", "100");
            // Every lane publishes: before, a worker could be done and find nobody behind.
            var first = identity.role("first");
            identity.usersOf(first, 40);
            identity.enqueue(first);
            system.topic().records(40);
            var task = identity.enqueue(role);
            await().until(() -> Metrics.of(application).value("identity_access_fanout_consumer_waits_total") > 0);
            assertThat(identity.status(task)).isEqualTo("InProgress");

            await().until(() -> {
                if (!consumer.poll(Duration.ofMillis(50)).isEmpty()) {
                    consumer.commitSync();
                }
                return identity.status(task).equals("Completed");
            });
            assertThat(identity.task(task)).containsEntry("attempt_count", 1).containsEntry("processed_count", 1_000);
        }
    }

    @Test
    @DisplayName("EVT-12 a group that stands still, or that nobody knows, holds no fan-out up for long")
    void standingStill() throws Exception {
        var identity = system.identity();
        var role = identity.role("agent");
        identity.usersOf(role, 300);
        var still = "still-" + system.database();
        try (var admin = Admin.create(Map.of(
                AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG,
                TestSystem.stack().kafka().brokers()))) {
            admin.alterConsumerGroupOffsets(
                            still,
                            IntStream.range(0, 6)
                                    .boxed()
                                    .collect(Collectors.toMap(
                                            partition -> new TopicPartition(
                                                    system.topic().name(), partition),
                                            partition -> new OffsetAndMetadata(0))))
                    .all()
                    .get();
        }
        var application = system.start(
                "identity.measure-interval", "200ms",
                // Waiting for the longest at each page would take minutes.
                "identity.fanout.batch-size", "2",
                "identity.access-groups", "nobody," + still,
                "identity.fanout.max-group-lag", "10");

        var task = identity.enqueue(role);

        await().until(() -> identity.status(task).equals("Completed"));
        assertThat(system.topic().records(300)).hasSize(300);
        for (var group : List.of("nobody", still)) {
            // The whole topic, and the marks of transactions in it.
            await().until(() ->
                    Metrics.of(application).value("identity_access_consumer_lag{group=\"" + group + "\"}") >= 300);
        }
    }
}
