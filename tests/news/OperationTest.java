package tests.news;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tests.support.Metrics;
import tests.support.NewsSystem;
import tests.support.TestSystem;
import tests.support.UserEvent;

@DisplayName("The news context")
class OperationTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    final NewsSystem system = new NewsSystem();

    @Test
    @DisplayName("REP-18 logs every outcome with its ids; no name, phone or e-mail is in anything that a run writes")
    void noPersonalDataInLogs() throws Exception {
        var user = UUID.randomUUID();
        var process = system.startProcess();
        var first = marked(user, 1);
        system.sql().execute("alter table news.author_replicas add check (display_name not like 'Xmarked%')");
        system.send(
                first,
                first,
                marked(user, 5),
                marked(user, 4),
                UserEvent.blocked(user, 6),
                UserEvent.blocked(UUID.randomUUID(), 1),
                marked(user, 7).replacing("\"Active\"", "\"Qmarkedfirst\""),
                marked(user, 8).replacing("\"FirstName\":\"Qmarkedfirst\"", "\"FirstName\":[\"Qmarkedfirst\"]"),
                marked(user, 9).value("{\"Name\": \"Qmarkedfirst\", +79995550000 markedmail@example.org"),
                marked(user, 10).replacing("Qmarkedfirst", "Xmarked"),
                marked(user, 11).header("MessageId", "markedmail@example.org"),
                marked(user, 12).header("EventType", "Qmarkedfirst +79995550000"));
        system.awaitHandled();
        process.terminate();
        process.waitForExit(30);

        var output = process.output();
        for (var line : List.of(
                "consumed messageId=" + first.messageId() + " userId=" + user + " eventType=" + UserEvent.UPSERTED
                        + " sourceVersion=1",
                "upserted messageId=" + first.messageId() + " userId=" + user + " eventType=" + UserEvent.UPSERTED
                        + " sourceVersion=1 displayName=Q***",
                "skipped-duplicate messageId=" + first.messageId(),
                "skipped-stale messageId=",
                "skipped-missing-replica messageId=",
                "blocked messageId=",
                "dead-lettered messageId=")) {
            assertThat(output).contains(line);
        }
        assertThat(output).doesNotContainIgnoringCase("marked").doesNotContain("+7999", "example.org");
        assertThat(new String(system.deadLetters()
                        .get(0)
                        .headers()
                        .lastHeader("DeadLetterReason")
                        .value()))
                .doesNotContainIgnoringCase("marked");
    }

    private static UserEvent marked(UUID user, long version) {
        return UserEvent.upserted(user, version, "Qmarkedfirst", "Qmarkedlast")
                .replacing("+79990001122", "+79995550000")
                .replacing("ivan@example.org", "markedmail@example.org");
    }

    @Test
    @DisplayName(
            "OPS-07 marks past their age are purged in steps, by several instances at once; a replay is stale then")
    void purge() {
        var user = UUID.randomUUID();
        var event = UserEvent.upserted(user, 1);
        var options = new String[] {"news.replica.purge-interval", "200ms", "news.replica.marks-retention", "1h"};
        var first = system.start(options);
        var second = system.start(options);
        system.send(event);
        system.awaitHandled();
        var row = system.row(user);
        system.sql()
                .update("insert into news.processed_messages select 'old-' || n, now() - interval '2 hours' from"
                        + " generate_series(1, 5500) n");
        system.sql().update("update news.processed_messages set processed_at = now() - interval '2 hours'");
        system.sql().update("insert into news.processed_messages values ('young', now() - interval '30 minutes')");

        await().atMost(PATIENCE).until(() -> system.marks() == 1);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(purged(first) + purged(second)).isEqualTo(5_501));

        system.send(event);
        system.awaitHandled();
        assertThat(system.row(user)).isEqualTo(row);
        assertThat(stale(first) + stale(second)).isEqualTo(1);
    }

    private static double purged(app.AccessApplication application) {
        return Metrics.of(application).value("news_replica_purged_marks_total");
    }

    private static double stale(app.AccessApplication application) {
        return Metrics.of(application).value("news_replica_stale_total");
    }

    @Test
    @Tag("long")
    @DisplayName("cases 28: what a bad record among 500 costs, found by our checks or by the database only, is printed")
    void costOfBadRecords() {
        system.sql().execute("alter table news.author_replicas add check (display_name not like 'Refused%')");
        var application = system.start();
        for (int i = 0; i < 30; i++) {
            batch("Ivan"); // until everything is compiled
        }
        var good = new ArrayList<Double>();
        var found = new ArrayList<Double>();
        var refused = new ArrayList<Double>();
        for (int i = 0; i < 11; i++) {
            good.add(millis(application, "Ivan"));
            found.add(millis(application, "Ivan\\u0000"));
            refused.add(millis(application, "Refused"));
        }
        good.sort(null);
        found.sort(null);
        refused.sort(null);
        System.out.printf(
                "500 records: %.1f ms; one of them bad: %.1f ms; one refused by the database: %.1f ms%n",
                good.get(5), found.get(5), refused.get(5));
        assertThat(system.rows()).isEqualTo(30 * 500 + 11 * (500 + 499 + 499));
        assertThat(system.deadLetters()).hasSize(22);
    }

    /** The time that a batch takes from its poll to its commit, as the metric has it. */
    private double millis(app.AccessApplication application, String oddName) {
        double before = Metrics.of(application).value("news_replica_consume_duration_ms_sum");
        batch(oddName);
        return (Metrics.of(application).value("news_replica_consume_duration_ms_sum") - before) / 500;
    }

    private void batch(String oddName) {
        var events = new ArrayList<UserEvent>();
        for (int i = 0; i < 500; i++) {
            events.add(UserEvent.upserted(UUID.randomUUID(), 1, i == 333 ? oddName : "Ivan", "Petrov"));
        }
        system.send(events, 0);
        system.awaitHandled();
    }

    @Test
    @DisplayName("OPS-06 the routes' user may do what the routes do, and nothing else (REP-22)")
    void leastPrivilege() throws SQLException {
        try (var connection = DriverManager.getConnection(
                        TestSystem.stack().url(system.database()), "news_author_replica", "");
                var statement = connection.createStatement()) {
            statement.execute("select count(*) from news.author_replicas");
            for (var forbidden : new String[] {
                "delete from news.author_replicas",
                "truncate news.author_replicas",
                "update news.processed_messages set processed_at = now()",
                "create table news.mine (id int)"
            }) {
                assertThatThrownBy(() -> statement.execute(forbidden))
                        .as(forbidden)
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e -> assertThat(e.getSQLState()).isEqualTo("42501"));
            }
        }
    }

    @Test
    @DisplayName("REP-02 the table has exactly the documented columns, types and nullability")
    void columns() {
        assertThat(system.sql().queryForList("""
                        select column_name || ' ' || data_type || coalesce('(' || character_maximum_length || ')', '')
                               || case is_nullable when 'NO' then ' not null' else '' end
                        from information_schema.columns
                        where table_schema = 'news' and table_name = 'author_replicas'
                        order by ordinal_position""", String.class))
                .containsExactly(
                        "id uuid not null",
                        "display_name character varying(384) not null",
                        "type text not null",
                        "company_id uuid",
                        "status text not null",
                        "avatar_file_id uuid",
                        "source_version bigint not null",
                        "synced_at timestamp with time zone not null",
                        "updated_at timestamp with time zone not null");
    }

    @Test
    @DisplayName("REP-19 every metric of the document is there by its name, before anything has come")
    void metrics() {
        var scrape = Metrics.of(system.start()).scrape();

        assertThat(scrape)
                .contains(
                        "news_replica_consume_duration_ms_bucket",
                        "news_replica_upserted_total",
                        "news_replica_blocked_total",
                        "news_replica_stale_total",
                        "news_replica_skipped_total{reason=\"stale\"}",
                        "news_replica_skipped_total{reason=\"duplicate\"}",
                        "news_replica_skipped_total{reason=\"missing\"}",
                        "news_replica_skipped_total{reason=\"unknown-type\"}",
                        "news_replica_unknown_enum_total{field=\"Type\"}",
                        "news_replica_unknown_enum_total{field=\"Status\"}",
                        "news_replica_dlq_total",
                        "news_replica_lag_seconds_bucket");
    }
}
