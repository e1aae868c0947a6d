package tests.history;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.arguments;

import java.io.IOException;
import java.time.Duration;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tests.history.Checker.Violation;
import tests.history.Faults.Fault;
import tests.support.TestSystem;

/** Takes out one safeguard after the other: the history must not be able to keep its promises, and the checker must see it. */
@Tag("long")
@DisplayName("A history without a safeguard")
class MutantsTest {

    @RegisterExtension
    final TestSystem system = new TestSystem();

    @RegisterExtension
    final Caches caches = new Caches();

    @ParameterizedTest(name = "EVT-06 without {0} the checker reports one of {2}")
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    @MethodSource("mutants")
    void isNoticed(String safeguard, Mutant mutant, Set<String> promises) throws Exception {
        var run = new HistoryRun(system, mutant.isOfCaches() ? caches : null, 42, mutant);

        var violations = Checker.check(run.record(Duration.ofSeconds(90)));

        var counts = new TreeMap<>(
                violations.stream().collect(Collectors.groupingBy(Violation::promise, Collectors.counting())));
        System.out.printf("without %s: %s; %s%n", safeguard, counts, run.summary());
        violations.stream().limit(3).forEach(violation -> System.out.println("  " + violation));
        assertThat(counts.keySet()).containsAnyElementsOf(promises);
    }

    static Stream<Arguments> mutants() throws IOException {
        var only = System.getProperty("history.mutant", ""); // a part of its name
        return Stream.of(
                        arguments(
                                "the lock on users",
                                new Mutant("user-lock")
                                        .change(
                                                "create or replace function identity.lock_access(user_ids uuid[]) returns void"
                                                        + " language sql as ''"),
                                Set.of(
                                        "a revoked right never comes back",
                                        "the last record of every user equals the database")),
                        arguments(
                                "the fence of the lease",
                                new Mutant("lease-fence")
                                        .under(Fault.FREEZE)
                                        .replace(
                                                "sql/identity/fanout/checkpoint.sql",
                                                "  and t.status = 'InProgress'\n"
                                                        + "  and t.attempt_count = :#${variable.lease.attempt}\n"
                                                        + "  and t.lease_expires_at = :#${variable.lease.expiresAt}\n",
                                                ""),
                                Set.of(
                                        "no effect of a worker that has lost its lease",
                                        "no page is repeated",
                                        "a completed task stays as it is")),
                        arguments(
                                "the fence of the lanes",
                                new Mutant("lane-fence")
                                        .under(Fault.FREEZE)
                                        .ownTransactionalIds()
                                        .replace("app/kafka/LanePublishers.java", "publisher.close(Duration.ZERO);", "")
                                        // Rows are sent a while after they were read: time enough to be frozen in
                                        // between.
                                        .replace(
                                                "sql/identity/relay/select-batch.sql",
                                                "as bigint) as after_id) h",
                                                "as bigint) as after_id, pg_sleep(0.3)) h")
                                        .replace(
                                                "sql/identity/relay/lock-lane.sql",
                                                "update identity.relay_lanes l\n"
                                                        + "set expires_at = clock_timestamp() + :#laneLeaseMillis * interval '1"
                                                        + " millisecond'\n"
                                                        + "where l.lane = :#${variable.lane.number} and l.holder = :#publisher and l.epoch ="
                                                        + " :#${variable.lane.epoch}\n"
                                                        + "returning l.lane, l.epoch",
                                                "select l.lane, l.epoch, :#publisher, :#laneLeaseMillis, :#${variable.lane.epoch}\n"
                                                        + "from identity.relay_lanes l where l.lane = :#${variable.lane.number}"),
                                Set.of(
                                        "a user's records are in the order of the commits",
                                        "what comes last was committed last",
                                        "a revoked right never comes back")),
                        arguments(
                                "the rescan of a lane",
                                new Mutant("rescan")
                                        .under() // a lane that changes hands is read from its beginning anyway
                                        .replace("processors/identity/LaneScan.java", "            afterId = 0;\n", "")
                                        .replace("processors/identity/LaneScan.java", "        reset();\n", ""),
                                Set.of("every committed event is published", "nothing is left behind")),
                        arguments(
                                "what the cache drops",
                                new Mutant("cache-drops")
                                        .ofCaches()
                                        .under() // it needs no fault
                                        // Half of the batches come again later, as if the relay had died before it
                                        // could delete them.
                                        .replace(
                                                "sql/identity/relay/delete-batch.sql",
                                                "where o.id",
                                                "where (select random() < 0.5) and o.id")
                                        // Many small transactions: what comes again is not hidden inside one.
                                        .replace(
                                                "application.properties",
                                                "access-cache.batch-size=500",
                                                "access-cache.batch-size=10")
                                        .replace(
                                                "processors/access/Guard.java",
                                                "if (progress != null && version",
                                                "if (false && version"),
                                Set.of("no right is Fresh that was revoked before the last applied event")),
                        arguments(
                                "the sources of the cache's versions",
                                new Mutant("cache-sources")
                                        .ofCaches()
                                        .under() // it needs no fault
                                        // Roles that were changed often before.
                                        .change("alter table identity.role_definitions alter version set default 1000")
                                        .replace(
                                                "processors/access/VersionSource.java",
                                                "new VersionSource(text) : null",
                                                "ASSIGNMENT : null"),
                                Set.of("a Fresh user equals the database at rest")))
                .filter(mutant -> ((String) mutant.get()[0]).contains(only));
    }
}
