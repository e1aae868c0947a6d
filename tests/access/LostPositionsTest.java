package tests.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static tests.support.AccessChange.ofAssignments;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.RecordsToDelete;
import org.apache.kafka.common.TopicPartition;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tests.support.AccessChange;
import tests.support.AccessChange.Assignment;
import tests.support.CacheSystem;
import tests.support.ManagementPort;
import tests.support.Metrics;
import tests.support.PostgresProxy;
import tests.support.TestSystem;

@DisplayName("A position that is lost")
class LostPositionsTest {

    private static final String MISSED = "consumer_missed_total{consumer=\"access-cache\"}";

    @RegisterExtension
    final CacheSystem system = new CacheSystem();

    private final Assignment agent = Assignment.of(UUID.randomUUID(), "agent");
    private final UUID revoked = UUID.randomUUID();
    private final UUID silent = UUID.randomUUID();
    private final UUID other = UUID.randomUUID();

    @Test
    @DisplayName(
            "cases 47 offline beyond the topic's retention: everybody is invalidated before anything is read, later events make"
                    + " users fresh again, and it is said once")
    void offlineBeyondRetention() throws Exception {
        var before = system.start();
        handle(ofAssignments(revoked, 1, agent), ofAssignments(silent, 1, agent), ofAssignments(other, 1, agent));
        before.close();
        var positions = system.committed();
        system.send(ofAssignments(revoked, 2)); // nobody will ever read it
        deleteEverything();

        // The database is away at first: nothing is read before everybody is invalidated.
        try (var wire = new PostgresProxy(TestSystem.stack().postgres().getPort())) {
            wire.cut();
            var application = system.start("access-cache.db.url", wire.url(system.database()));
            system.send(ofAssignments(other, 2, agent));
            var port = ManagementPort.of(application);
            await().untilAsserted(() -> assertThat(port.readiness().body()).contains("Kafka lets nobody read"));
            assertThat(system.committed()).isEqualTo(positions);
            wire.mend();

            await().until(() -> system.roleCodes(silent) == null);
            await().until(() -> system.lag() == 0);
            assertThat(system.roleCodes(revoked)).isNull();
            handle(ofAssignments(other, 3, agent));
            assertThat(system.roleCodes(other)).isEqualTo("agent");
            // What an operator's announcement says: the version that was applied before.
            handle(ofAssignments(silent, 1, agent));
            assertThat(system.roleCodes(silent)).isEqualTo("agent");
            assertThat(Metrics.of(application).value(MISSED)).isGreaterThanOrEqualTo(1);
            application.close();
        }

        var again = system.start();
        handle(ofAssignments(other, 4, agent));
        assertThat(Metrics.of(again).value(MISSED)).isZero();
        assertThat(system.roleCodes(silent)).isEqualTo("agent");
    }

    @Test
    @DisplayName("cases 47 a topic that was made anew is shorter than the group's position: everybody is invalidated")
    void topicMadeAnew() throws Exception {
        var before = system.start();
        for (int version = 1; version <= 3; version++) {
            handle(ofAssignments(silent, version, agent), ofAssignments(other, version, agent));
        }
        before.close();
        try (var admin = system.admin()) {
            admin.deleteTopics(List.of(system.topic())).all().get();
            await().until(() -> !admin.listTopics().names().get().contains(system.topic()));
            admin.createTopics(List.of(new NewTopic(system.topic(), CacheSystem.PARTITIONS, (short) 1)))
                    .all()
                    .get();
        }

        var application = system.start();

        await().until(() -> Metrics.of(application).value(MISSED) > 0);
        assertThat(system.roleCodes(silent)).isNull();
        system.send(ofAssignments(other, 4, agent));
        await().until(() -> "agent".equals(system.roleCodes(other)));
    }

    @Test
    @DisplayName("cases 47 a group that begins with a topic from which nothing was deleted has missed nothing")
    void newGroup() {
        system.send(ofAssignments(silent, 1, agent));

        var application = system.start();
        system.awaitHandled();

        assertThat(system.roleCodes(silent)).isEqualTo("agent");
        assertThat(Metrics.of(application).value(MISSED)).isZero();
    }

    private void handle(AccessChange... events) {
        system.send(events);
        system.awaitHandled();
    }

    /** As the topic's retention does. */
    private void deleteEverything() throws Exception {
        try (var admin = system.admin()) {
            var all = new HashMap<TopicPartition, RecordsToDelete>();
            for (int partition = 0; partition < CacheSystem.PARTITIONS; partition++) {
                all.put(new TopicPartition(system.topic(), partition), RecordsToDelete.beforeOffset(-1));
            }
            admin.deleteRecords(Map.copyOf(all)).all().get();
        }
    }
}
