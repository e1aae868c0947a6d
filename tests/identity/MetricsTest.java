package tests.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import app.AccessApplication;
import java.time.Duration;
import java.util.TreeSet;
import java.util.UUID;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import processors.identity.RoleChange;
import tests.support.Causes;
import tests.support.Metrics;
import tests.support.TestSystem;

@DisplayName("Metrics")
class MetricsTest {

    @RegisterExtension
    final TestSystem system = new TestSystem();

    @Test
    @DisplayName("cases 39: the series stay the same, however many users, roles, tasks and threads there are")
    void constantSeries() {
        var application = system.start("identity.fanout.inline-threshold", "5", "identity.measure-interval", "100ms");
        everything(application, 200);
        // A lane's timer is there when its first run has ended; with so many users each lane has one.
        await().until(() -> IntStream.range(0, 4)
                .allMatch(lane -> series(application).stream()
                        .anyMatch(name -> name.startsWith("camel_route_policy_seconds_count")
                                && name.contains("\"relay-lane-" + lane + "\""))));
        var before = series(application);

        for (int i = 0; i < 5; i++) {
            everything(application, 500);
        }

        assertThat(series(application)).isEqualTo(before);
        assertThat(before).hasSizeLessThan(1_500).noneMatch(name -> name.matches(".*[0-9a-f]{8}-[0-9a-f]{4}-.*"));
    }

    @Test
    @Tag("long")
    @DisplayName("cases 39: the series stay the same over 100,000 users of one role")
    void manyUsers() {
        var application = system.start("identity.fanout.inline-threshold", "5", "identity.measure-interval", "100ms");
        everything(application, 1_000);
        var before = series(application);

        everything(application, 100_000);

        assertThat(Metrics.of(application).value("identity_access_fanout_users_total"))
                .isGreaterThan(100_000);
        assertThat(series(application)).isEqualTo(before);
    }

    /** Every cause once, with new roles and users. */
    private void everything(AccessApplication application, int users) {
        var identity = system.identity();
        var causes = new Causes(application); // with a producer template of its own
        var large = identity.role("large", "one");
        identity.usersOf(large, users);
        causes.change(RoleChange.add(large, "two"));
        var small = identity.role("small", "one");
        var user = identity.user(UUID.randomUUID());
        var assignment = causes.grant(user, small);
        causes.change(RoleChange.add(small, "two"));
        causes.revoke(assignment);
        causes.archiveUser(user);
        causes.archiveRole(small);
        identity.sql().execute("select identity.announce_access('{" + user + "}', 'AssignmentGranted')");
        await().atMost(Duration.ofMinutes(5))
                .until(() -> identity.count("identity.access_announcements") == 0
                        && identity.outboxRows() == 0
                        && identity.count("identity.access_fanout_tasks where status <> 'Completed'") == 0);
    }

    /** Names with their labels; what the JVM says of itself is left out. */
    private static TreeSet<String> series(AccessApplication application) {
        var series = new TreeSet<String>();
        Metrics.of(application)
                .scrape()
                .lines()
                .filter(line -> !line.startsWith("#") && !line.startsWith("jvm_"))
                .forEach(line -> series.add(line.substring(0, line.lastIndexOf(' '))));
        return series;
    }
}
