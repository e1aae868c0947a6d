package tests.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tests.support.ManagementPort;
import tests.support.Metrics;
import tests.support.ProductionLog;
import tests.support.TestSystem;

@DisplayName("The relay")
class RelayTest {

    private static final Duration PATIENCE = Duration.ofSeconds(40);

    @RegisterExtension
    final TestSystem system = new TestSystem();

    @Test
    @DisplayName("EVT-04 publishes a user's events in the order in which they were committed")
    void order() {
        var users = List.of(UUID.randomUUID(), UUID.randomUUID(), UUID.randomUUID());
        system.start();
        for (int version = 1; version <= 200; version++) {
            append(users.get(version % 3), version);
        }

        var versions = new HashMap<UUID, List<Long>>();
        system.topic()
                .records(200)
                .forEach(record -> versions.computeIfAbsent(record.user(), u -> new ArrayList<>())
                        .add(record.event().version()));

        assertThat(versions.values())
                .hasSize(3)
                .allSatisfy(ofUser -> assertThat(ofUser).isSorted().doesNotHaveDuplicates());
        await().untilAsserted(() -> assertThat(system.identity().outboxRows()).isZero());
    }

    @Test
    @DisplayName("cases 1: a row with a lower id that commits after a higher one was published still goes out")
    void lateCommit() throws Exception {
        var user = UUID.randomUUID();
        system.start();
        try (var late = TestSystem.stack().superuser(system.database());
                var statement = late.createStatement()) {
            late.setAutoCommit(false);
            statement.execute(insert(sameLaneAs(user), 1)); // draws its id first
            for (int version = 1; version <= 5; version++) {
                append(user, version);
            }
            assertThat(system.topic().records(5)).hasSize(5);
            late.commit();
        }

        assertThat(system.topic().records(6)).hasSize(6);
        await().untilAsserted(() -> assertThat(system.identity().outboxRows()).isZero());
    }

    @Test
    @DisplayName("OPS-03 a backlog of large events leaves through a small heap")
    void largeEvents() throws Exception {
        system.identity().sql().update("""
                insert into identity.outbox (user_id, correlation_id, version_source, payload)
                select gen_random_uuid(), gen_random_uuid(), 'assignment', convert_to(repeat('x', 30000), 'UTF8')
                from generate_series(1, 8000)""");

        var relay = system.startProcess(
                List.of("-Xmx160m", "-XX:+ExitOnOutOfMemoryError"), "identity.relay.batch-size", "8000");

        await().atMost(PATIENCE).until(() -> !relay.alive() || system.identity().outboxRows() == 0);
        assertThat(relay.alive()).as(relay::output).isTrue();
        assertThat(system.topic().settled()).hasSize(8_000);
    }

    @Test
    @DisplayName(
            "EVT-06 a user's later event never passes an earlier one that committed just before it, behind the hint")
    void laterNeverPasses() throws Exception {
        system.start();
        for (int round = 1; round <= 40; round++) {
            var user = UUID.randomUUID();
            var neighbour = sameLaneAs(user);
            try (var late = TestSystem.stack().superuser(system.database());
                    var statement = late.createStatement()) {
                late.setAutoCommit(false);
                statement.execute(insert(user, 1)); // draws its id first
                append(neighbour, 1); // is published, and the hint is behind it
                await().pollInterval(Duration.ofMillis(2))
                        .until(() -> system.identity().outboxRows() == 0);
                late.commit();
            }
            append(user, 2); // whoever waited for the user's lock
        }

        var versions = new HashMap<UUID, List<Long>>();
        system.topic()
                .records(120)
                .forEach(record -> versions.computeIfAbsent(record.user(), u -> new ArrayList<>())
                        .add(record.event().version()));
        assertThat(versions.values()).allSatisfy(ofUser -> assertThat(ofUser).isSorted());
    }

    @Test
    @DisplayName("EVT-04 parks a row that Kafka can never take; its neighbours, and later rows of its user, go out")
    void tooLarge() throws Exception {
        system.topic().delete();
        system.topic().create(6, Map.of("max.message.bytes", "20000"));
        var large = UUID.randomUUID();
        var neighbour = sameLaneAs(large);
        append(neighbour, 1);
        append(large, 1, 50_000); // refused by the broker; alone in its batch, so that it is refused for certain
        append(neighbour, 2);
        append(large, 2, 2_000_000); // refused by the client
        append(large, 3);

        var application = system.start("identity.measure-interval", "100ms");

        assertThat(system.topic().records(3))
                .extracting(record -> record.user() + " " + record.event().version())
                .containsExactlyInAnyOrder(neighbour + " 1", neighbour + " 2", large + " 3");
        await().atMost(PATIENCE).untilAsserted(() -> {
            var metrics = Metrics.of(application);
            assertThat(metrics.value("identity_outbox_parked")).isEqualTo(2);
            assertThat(metrics.value("identity_outbox_backlog")).isZero();
        });
        assertThat(system.identity().sql().queryForList("select parked_reason from identity.outbox", String.class))
                .hasSize(2)
                .allSatisfy(reason -> assertThat(reason).containsIgnoringCase("larger"));
    }

    @Test
    @DisplayName("EVT-04 after a row that Kafka can never take, with nothing else to publish, the lanes stay")
    void parkedAlone() {
        append(UUID.randomUUID(), 1, 2_000_000);
        try (var log = new ProductionLog()) {
            var application =
                    system.start("identity.relay.lane-lease", "1s", "identity.relay.heartbeat-interval", "100ms");
            await().until(() -> Metrics.of(application).value("identity_relay_parked_total") == 1);

            // Lanes of a publisher whose batches all fail are given back after twice the lease.
            await().during(Duration.ofSeconds(4))
                    .atMost(Duration.ofSeconds(20))
                    .until(() -> !log.text().contains("the lanes are given back"));
        }
    }

    @Test
    @DisplayName("EVT-04 a topic that does not exist: not ready, the rows wait, and go out when it is there")
    void missingTopic() throws Exception {
        system.topic().delete();
        for (int i = 0; i < 200; i++) {
            append(UUID.randomUUID(), 1); // many: a batch gives up after the first that waits in vain
        }
        var application = system.start();

        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(
                                ManagementPort.of(application).readiness().body())
                        .contains("topic " + system.topic().name() + " does not exist"));
        assertThat(ManagementPort.of(application).readiness().statusCode()).isEqualTo(503);
        assertThat(ManagementPort.of(application).isLive()).isTrue();
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(Metrics.of(application).value("identity_relay_errors_total"))
                        .isPositive());
        assertThat(system.identity().outboxRows()).isEqualTo(200);

        system.topic().create(6);

        assertThat(system.topic().records(200)).hasSize(200);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(
                                ManagementPort.of(application).readiness().statusCode())
                        .isEqualTo(200));
    }

    @Test
    @DisplayName("EVT-01 a topic with another number of partitions works, by Kafka's default partitioning")
    void otherPartitions() throws Exception {
        system.topic().delete();
        system.topic().create(2);
        for (int i = 0; i < 10; i++) {
            append(UUID.randomUUID(), 1);
        }

        var application = system.start();

        assertThat(system.topic().records(10))
                .allSatisfy(record -> assertThat(record.raw().partition())
                        .isEqualTo(org.apache.kafka.common.utils.Utils.toPositive(
                                        org.apache.kafka.common.utils.Utils.murmur2(
                                                record.raw().key()))
                                % 2));
        assertThat(ManagementPort.of(application).readiness().statusCode()).isEqualTo(200);
    }

    @Test
    @DisplayName("cases 7: a duplicate MessageId does not stall a lane")
    void duplicateMessageId() {
        var user = UUID.randomUUID();
        append(user, 1);
        append(user, 2);
        system.identity()
                .sql()
                .update("update identity.outbox set message_id = (select message_id from identity.outbox"
                        + " limit 1)");

        system.start();

        assertThat(system.topic().records(2)).hasSize(2);
        await().untilAsserted(() -> assertThat(system.identity().outboxRows()).isZero());
    }

    @Test
    @DisplayName("EVT-04 events of a transaction that is rolled back are never published")
    void rolledBack() throws Exception {
        system.start();
        try (var connection = TestSystem.stack().superuser(system.database());
                var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute(insert(UUID.randomUUID(), 1));
            connection.rollback();
        }
        var committed = UUID.randomUUID();
        append(committed, 1);

        assertThat(system.topic().records(1))
                .extracting(record -> record.user())
                .containsExactly(committed);
    }

    @Test
    @DisplayName("OPS-07 no publisher row and no held lane is left behind by an instance that stops")
    void releasesLanes() {
        var application = system.start();
        await().untilAsserted(() -> assertThat(heldLanes()).isEqualTo(4));

        application.close();

        assertThat(heldLanes()).isZero();
        assertThat(system.identity().count("identity.relay_publishers")).isZero();
    }

    private long heldLanes() {
        return system.identity()
                .sql()
                .queryForObject("select count(*) from identity.relay_lanes where holder is not null", Long.class);
    }

    private void append(UUID user, long version) {
        append(user, version, 0);
    }

    private void append(UUID user, long version, int padding) {
        system.identity().sql().execute(insert(user, version, padding));
    }

    private static String insert(UUID user, long version) {
        return insert(user, version, 0);
    }

    private static String insert(UUID user, long version, int padding) {
        var event = "{\"UserId\":\"" + user + "\",\"CompanyId\":null,\"ChangeReason\":\"RolePermissionsChanged\","
                + "\"ActiveAssignments\":[],\"Version\":" + version + ",\"Padding\":\"" + incompressible(padding)
                + "\"}";
        return "insert into identity.outbox (user_id, correlation_id, version_source, payload) values ('" + user
                + "', gen_random_uuid(), 'assignment', '\\x" + hex(event) + "')";
    }

    private static String incompressible(int length) {
        var random = new java.util.Random(length);
        var text = new StringBuilder(length);
        for (int i = 0; i < length; i++) {
            text.append((char) ('!' + 2 + random.nextInt(56)));
        }
        return text.toString();
    }

    private static String hex(String text) {
        return java.util.HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Another user on the same lane. */
    private UUID sameLaneAs(UUID user) {
        return system.identity()
                .sql()
                .queryForObject(
                        "select u from (select gen_random_uuid() as u from generate_series(1, 1000)) c where"
                                + " uuid_hash_extended(u, 0) & 3 = uuid_hash_extended(?, 0) & 3 limit 1",
                        UUID.class,
                        user);
    }
}
