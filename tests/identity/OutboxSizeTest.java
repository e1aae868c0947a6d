package tests.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import tests.support.TestSystem;

@Tag("long")
@DisplayName("The outbox under load")
class OutboxSizeTest {

    @RegisterExtension
    final TestSystem system = new TestSystem();

    @Test
    @Timeout(900)
    @DisplayName("cases 9: a million events pass: the outbox ends small, also with a long transaction open elsewhere")
    void millionEvents() throws Exception {
        system.start();
        var alone = publish(500_000);
        try (var reader = TestSystem.stack().superuser(system.database());
                var statement = reader.createStatement()) {
            reader.setAutoCommit(false);
            statement.execute("set transaction isolation level repeatable read");
            statement.execute("select count(*) from identity.users"); // its snapshot keeps every dead row
            var beside = publish(500_000);
            System.out.printf(
                    "relay: %,.0f rows/s alone, %,.0f rows/s beside a long transaction%n",
                    500_000 / alone, 500_000 / beside);
            reader.rollback();
        }
        var sql = system.identity().sql();
        await().atMost(Duration.ofMinutes(3))
                .pollInterval(Duration.ofSeconds(1))
                .untilAsserted(() -> {
                    assertThat(sql.queryForObject(
                                    "select n_dead_tup from pg_stat_user_tables where relname = 'outbox'", Long.class))
                            .as("dead rows left by autovacuum")
                            .isLessThan(60_000);
                });
        sql.execute("vacuum identity.outbox");
        long bytes = sql.queryForObject("select pg_relation_size('identity.outbox')", Long.class);
        System.out.printf("outbox after 1,000,000 events: %,d bytes%n", bytes);
        assertThat(bytes).isLessThan(64L * 1024 * 1024);
    }

    @Test
    @Timeout(900)
    @DisplayName(
            "cases 19: with 5,000,000 rows in the outbox, a million tasks and a role of 100,000 users, gauges and the operator's page read little of them")
    void cheapGauges() throws IOException {
        append(5_000_000);
        var identity = system.identity();
        var sql = identity.sql();
        var role = identity.role("agent");
        identity.usersOf(role, 100_000);
        sql.update(
                "insert into identity.access_fanout_tasks (role_id, role_version, status, completed_at)"
                        + " select ?, 1, 'Completed', clock_timestamp() from generate_series(1, 1000000)",
                role);
        sql.update(
                "insert into identity.access_fanout_tasks (role_id, role_version, status, lease_expires_at)"
                        + " values (?, 1, 'InProgress', clock_timestamp() + interval '1 hour')",
                role);
        sql.execute("vacuum analyze"); // as autovacuum does with tables of that size
        var most = Map.<String, Object>of(
                "maxOutboxRows", 50_000,
                "most", 10_000,
                "mostUsers", 100_000,
                "rows", 20,
                "laneLeaseMillis", 5_000,
                "publisher", "'" + UUID.randomUUID() + "'");

        for (var statement : List.of(
                "relay/measure-outbox",
                "fanout/is-outbox-full",
                "fanout/measure-queue",
                "operator/measure",
                "operator/count-expected",
                "operator/select-lanes",
                "operator/select-parked",
                "operator/select-tasks")) {
            var text = Files.readString(Path.of("sql/identity", statement + ".sql"));
            for (var parameter : most.entrySet()) {
                text = text.replaceAll(
                        ":#" + parameter.getKey() + "\\b", parameter.getValue().toString());
            }
            var plan = new ObjectMapper()
                    .readTree(sql.queryForObject("explain (analyze, buffers, format json) " + text, String.class))
                    .get(0);
            long pages = plan.at("/Plan/Shared Hit Blocks").asLong()
                    + plan.at("/Plan/Shared Read Blocks").asLong();
            System.out.printf(
                    "%s: %.1f ms, %,d pages%n",
                    statement, plan.path("Execution Time").asDouble(), pages);
            assertThat(pages)
                    .as("%s, of %,d pages in the outbox", statement, relationPages())
                    .isLessThan(40_000);
        }
        assertThat(relationPages()).isGreaterThan(500_000);
    }

    private long relationPages() {
        return system.identity().sql().queryForObject("select pg_relation_size('identity.outbox') / 8192", Long.class);
    }

    /** @return seconds from the last append to the empty outbox, for rows that were appended while the relay ran */
    private double publish(int rows) {
        long begun = System.nanoTime();
        for (int left = rows; left > 0; left -= 10_000) {
            append(10_000);
        }
        await().atMost(Duration.ofMinutes(5))
                .pollInterval(Duration.ofMillis(20))
                .until(() -> !system.identity()
                        .sql()
                        .queryForObject("select exists (select from identity.outbox)", Boolean.class));
        return (System.nanoTime() - begun) / 1e9;
    }

    private void append(int rows) {
        system.identity()
                .sql()
                .update(
                        "insert into identity.outbox (user_id, correlation_id, version_source, payload) select"
                                + " gen_random_uuid(), ?, 'assignment', convert_to(repeat('x', 900), 'UTF8') from"
                                + " generate_series(1, ?)",
                        UUID.randomUUID(),
                        rows);
    }
}
