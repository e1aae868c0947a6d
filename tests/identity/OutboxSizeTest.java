package tests.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
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
    @DisplayName("cases 19: with 5,000,000 rows in the outbox, the statements of the gauges stay cheap")
    void cheapGauges() {
        append(5_000_000);
        var sql = system.identity().sql();
        sql.execute("analyze identity.outbox");
        for (var statement : new String[] {"relay/measure-outbox", "fanout/is-outbox-full", "fanout/measure-queue"}) {
            var text = new app.db.Statements(sql.getDataSource());
            long begun = System.nanoTime();
            text.query("identity/" + statement, java.util.Map.of("maxOutboxRows", 50_000));
            double millis = (System.nanoTime() - begun) / 1e6;
            System.out.printf("%s with 5,000,000 rows: %.1f ms%n", statement, millis);
        }
        var plan = String.join(
                "\n",
                sql.queryForList(
                        "explain (analyze, buffers off) select count(*) from (select from identity.outbox o where"
                                + " o.parked_at is null limit 100000) b",
                        String.class));
        assertThat(plan).as("it stops at its bound").contains("rows=100000").doesNotContain("rows=5000000 loops");
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
