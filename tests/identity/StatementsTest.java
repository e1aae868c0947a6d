package tests.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tests.support.Metrics;
import tests.support.PostgresProxy;
import tests.support.TestSystem;

@DisplayName("Statements")
class StatementsTest {

    @RegisterExtension
    final TestSystem system = new TestSystem();

    @Test
    @DisplayName("FAN-08 a page takes the same seven statements, and as many round trips, whatever its users hold")
    void perPage() throws Exception {
        var one = costOfTask(5, 5, 1);
        var four = costOfTask(20, 5, 1);
        var rich = costOfTask(1_600, 400, 3);

        // begin, page, lock, load, append, checkpoint, commit
        assertThat(four.statements() - one.statements()).isEqualTo(3 * 7);
        assertThat(rich.statements())
                .as("80 times the users, three times the assignments")
                .isEqualTo(four.statements());
        // Left to itself, camel-sql asks the server for the parameters of each statement before it executes it.
        assertThat(four.roundTrips()).isLessThanOrEqualTo(four.statements());
    }

    private Cost costOfTask(int users, int batchSize, int assignments) throws Exception {
        var identity = system.identity();
        var role = identity.role("agent");
        var holders = identity.usersOf(role, users);
        for (int i = 1; i < assignments; i++) {
            holders.forEach(user -> identity.assign(user, role));
        }
        try (var wire = new PostgresProxy(TestSystem.stack().postgres().getPort());
                var application = system.start(
                        "identity.db.url",
                        wire.url(system.database()),
                        "identity.fanout.batch-size",
                        Integer.toString(batchSize),
                        "identity.fanout.polling-interval",
                        "1h",
                        "camel.main.auto-startup-exclude-pattern",
                        "relay-*,fan-out-measure",
                        "management.readiness-interval",
                        "30s")) {
            await().until(() -> Metrics.of(application).value("instance_check_up{check=\"identity-database\"}") == 1);
            // The first task warms up the pool, and what the driver asks once in a connection's life.
            var warmUp = identity.enqueue(identity.role("warm-up"));
            await().until(() -> identity.status(warmUp).equals("Completed"));
            await().until(() -> application.camel().getInflightRepository().size() == 0);
            long statements = wire.count('E') + wire.count('Q');
            long roundTrips = wire.count('S') + wire.count('Q');

            var task = identity.enqueue(role);

            await().until(() -> identity.status(task).equals("Completed"));
            await().until(() -> application.camel().getInflightRepository().size() == 0);
            return new Cost(
                    wire.count('E') + wire.count('Q') - statements, wire.count('S') + wire.count('Q') - roundTrips);
        }
    }

    private record Cost(long statements, long roundTrips) {}
}
