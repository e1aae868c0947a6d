package tests.news;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tests.news.DecisionPropertyTest.Row;
import tests.support.Metrics;
import tests.support.NewsSystem;
import tests.support.UserEvent;

@DisplayName("A history")
class ReplicaHistoryTest {

    @RegisterExtension
    final NewsSystem system = new NewsSystem();

    @ParameterizedTest(name = "REP-07 the table, polled {0} at a time, agrees with the pure model on random histories")
    @ValueSource(strings = {"1", "7", "500"})
    void agreesWithModel(String batchSize) {
        var history = new ArrayList<Event>();
        var records = new ArrayList<UserEvent>();
        var random = new Random(42);
        for (int i = 0; i < 60; i++) {
            // Each history has users of its own.
            var users = new HashMap<UUID, UUID>();
            long number = i;
            for (var event : Histories.random(random)) {
                var user = users.computeIfAbsent(
                        event.user(),
                        u -> new UUID(u.getMostSignificantBits() * 1_000 + number, u.getLeastSignificantBits()));
                var messageId = new UUID(
                        user.getMostSignificantBits(), event.messageId().getLeastSignificantBits());
                var own = new Event(messageId, user, event.version(), event.block(), event.name());
                history.add(own);
                records.add(own.record());
            }
        }
        system.send(records);

        system.start("news.replica.batch-size", batchSize);
        system.awaitHandled();

        var rows = new TreeMap<UUID, Row>();
        system.sql().query("select id, display_name, status, source_version from news.author_replicas", row -> {
            rows.put(row.getObject(1, UUID.class), new Row(row.getString(2), row.getString(3), row.getLong(4)));
        });
        assertThat(rows).isEqualTo(DecisionPropertyTest.Spec.rows(history));
        var model = new DecisionPropertyTest.Database();
        model.handle(history);
        assertThat(system.sql().queryForList("select idempotency_key from news.processed_messages", String.class))
                .containsExactlyInAnyOrderElementsOf(model.marks);
    }

    @Test
    @Tag("long")
    @Timeout(900)
    @DisplayName(
            "REP-17 1,000,000 events read from earliest three times end in the same rows, all columns but UpdatedAt")
    void millionEvents() {
        var users = new ArrayList<UUID>();
        for (int i = 0; i < 250_000; i++) {
            users.add(UUID.randomUUID());
        }
        var batch = new ArrayList<UserEvent>();
        for (int version = 1; version <= 4; version++) {
            for (var user : users) {
                batch.add(
                        version == 3 && user.hashCode() % 4 == 0
                                ? UserEvent.blocked(user, version)
                                : UserEvent.upserted(user, version, "First" + version, "Last"));
                if (batch.size() == 10_000) {
                    system.send(batch);
                    batch.clear();
                }
            }
        }
        var fingerprints = new ArrayList<String>();
        for (int reading = 1; reading <= 3; reading++) {
            if (reading == 3) {
                system.sql().execute("truncate news.author_replicas");
            }
            var application =
                    system.start("news.replica.group", system.group() + "-" + reading, "management.port", "0");
            await().atMost(java.time.Duration.ofMinutes(5))
                    .until(() -> Metrics.of(application).value("news_replica_consume_duration_ms_count") >= 1_000_000);
            application.close();
            fingerprints.add(fingerprint());
        }

        assertThat(system.rows()).isEqualTo(users.size());
        assertThat(fingerprints).containsOnly(fingerprints.get(0));
    }

    private String fingerprint() {
        return system.sql()
                .queryForObject(
                        "select md5(string_agg((to_jsonb(a) - 'updated_at')::text, ',' order by id)) from"
                                + " news.author_replicas a",
                        String.class);
    }
}
