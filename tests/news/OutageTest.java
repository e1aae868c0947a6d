package tests.news;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tests.support.ManagementPort;
import tests.support.Metrics;
import tests.support.NewsSystem;
import tests.support.PostgresProxy;
import tests.support.ProductionLog;
import tests.support.Rival;
import tests.support.TestSystem;
import tests.support.UserEvent;

@DisplayName("An outage")
class OutageTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration INTERVAL = Duration.ofSeconds(3);

    @RegisterExtension
    final NewsSystem system = new NewsSystem();

    @Test
    @DisplayName(
            "REP-14 PostgreSQL away for longer than max.poll.interval.ms: no loss, no dead letter, no log flood, nothing twice;"
                    + " back within 15 s (cases 24)")
    void postgresAway() throws Exception {
        try (var wire = new PostgresProxy(TestSystem.stack().postgres().getPort());
                var log = new ProductionLog()) {
            var application = system.start(
                    "news.db.url",
                    wire.url(system.database()),
                    "news.replica.max-poll-interval",
                    "3s",
                    "news.replica.batch-size",
                    "50");
            var users = users(1_000);
            system.send(upserts(users, 1));
            await().atMost(PATIENCE).until(() -> system.rows() > 100);

            wire.cut();
            system.send(upserts(users, 2));
            var port = ManagementPort.of(application);
            await().atMost(PATIENCE).until(() -> port.readiness().statusCode() == 503);
            assertThat(port.readiness().body()).contains("the news database cannot be reached");
            assertThat(port.isLive()).isTrue();
            // The outage is what is tested, and so long it lasts.
            await().pollDelay(INTERVAL.multipliedBy(3)).until(() -> true);
            int said = log.warnings().size();
            assertThat(said).as("lines in three intervals: " + log.warnings()).isLessThan(10);

            long before = system.marks();
            long mended = System.nanoTime();
            wire.mend();
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> system.marks() > before);
            System.out.println("resumed after " + (System.nanoTime() - mended) / 1_000_000 + " ms");
            assertThat(Duration.ofNanos(System.nanoTime() - mended)).isLessThan(Duration.ofSeconds(15));
            system.awaitHandled();

            assertThat(newer(1)).isEqualTo(users.size());
            assertThat(system.deadLetters()).isEmpty();
            // The batch whose commit was cut off may have been committed all the same: then it is not counted.
            assertThat(Metrics.of(application).value("news_replica_upserted_total"))
                    .as("each event was applied once")
                    .isBetween(2.0 * users.size() - 50, 2.0 * users.size());
            await().atMost(PATIENCE).until(() -> port.isReady());
        }
    }

    @Test
    @DisplayName("REP-14 stops at once while PostgreSQL is away, and the records wait for the next start")
    void stopsWhileAway() throws Exception {
        try (var wire = new PostgresProxy(TestSystem.stack().postgres().getPort())) {
            var application = system.start("news.db.url", wire.url(system.database()));
            var first = UUID.randomUUID();
            system.send(UserEvent.upserted(first, 1));
            system.awaitHandled();
            wire.cut();
            var user = UUID.randomUUID();
            system.send(UserEvent.upserted(user, 1));
            await().atMost(PATIENCE)
                    .until(() ->
                            Metrics.of(application).value("consumer_retries_total{consumer=\"author-replica\"}") > 1);

            long asked = System.nanoTime();
            application.close();
            assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(Duration.ofSeconds(10));

            wire.mend();
            assertThat(system.lag()).isEqualTo(1);
            system.start();
            system.awaitHandled();
            assertThat(system.row(user)).containsEntry("source_version", 1L);
        }
    }

    @Test
    @DisplayName(
            "REP-14 Kafka away for longer than max.poll.interval.ms, dead letters in hand: nothing is lost or applied twice;"
                    + " back within 15 s")
    void kafkaAway() throws Exception {
        try (var log = new ProductionLog()) {
            var application = system.start("news.replica.max-poll-interval", "3s", "news.replica.batch-size", "50");
            var users = users(1_000);
            var events = upserts(users, 1);
            events.add(500, UserEvent.upserted(UUID.randomUUID(), 1).value("broken"));
            system.send(events, 0);
            var neighbours = "values ('%s'::uuid), ('%s')".formatted(users.get(499), users.get(500));
            try (var rival = new Rival(
                    system.database(),
                    "insert into news.author_replicas (id, display_name, type, status, source_version, synced_at)"
                            + " select column1, 'Rival', 'Agent', 'Active', 1, now() from (" + neighbours + ") t")) {
                rival.awaitWaiting();
                TestSystem.stack().kafka().stop();
                assertThat(system.rows()).as("in the middle of the work").isBetween(1L, 500L);
            }
            var port = ManagementPort.of(application);
            try {
                await().atMost(PATIENCE).until(() -> port.readiness().statusCode() == 503);
                assertThat(port.isLive()).isTrue();
                await().pollDelay(INTERVAL.multipliedBy(3)).until(() -> true);
                assertThat(log.warnings()).hasSizeLessThan(10);
            } finally {
                TestSystem.stack().kafka().restart();
            }
            long back = System.nanoTime();
            var late = UUID.randomUUID();
            system.send(UserEvent.upserted(late, 1));
            await().atMost(PATIENCE).pollInterval(Duration.ofMillis(20)).until(() -> system.rows() == users.size() + 1);
            assertThat(Duration.ofNanos(System.nanoTime() - back)).isLessThan(Duration.ofSeconds(15));
            system.awaitHandled();

            assertThat(system.deadLetters())
                    .as("once or, when its acknowledgement was lost, again")
                    .isNotEmpty()
                    .allSatisfy(letter -> assertThat(new String(letter.value())).isEqualTo("broken"));
            assertThat(Metrics.of(application).value("news_replica_upserted_total"))
                    .as("each event was applied once")
                    .isEqualTo(users.size() + 1.0);
        }
    }

    @Test
    @DisplayName("REP-14 stops at once while Kafka is away")
    void stopsWithoutKafka() {
        var application = system.start();
        system.send(UserEvent.upserted(UUID.randomUUID(), 1));
        system.awaitHandled();
        TestSystem.stack().kafka().stop();
        try {
            var port = ManagementPort.of(application);
            await().atMost(PATIENCE).until(() -> port.readiness().statusCode() == 503);

            long asked = System.nanoTime();
            application.close();
            assertThat(Duration.ofNanos(System.nanoTime() - asked)).isLessThan(Duration.ofSeconds(15));
        } finally {
            TestSystem.stack().kafka().restart();
        }
    }

    @Test
    @DisplayName("OPS-04 Kafka and PostgreSQL away at the start: alive, not ready; back: it works without a restart")
    void awayAtStart() throws Exception {
        var user = UUID.randomUUID();
        system.send(UserEvent.upserted(user, 1));
        try (var wire = new PostgresProxy(TestSystem.stack().postgres().getPort())) {
            wire.cut();
            TestSystem.stack().kafka().stop();
            ManagementPort port;
            try {
                var application = system.start("news.db.url", wire.url(system.database()));
                port = ManagementPort.of(application);
                assertThat(port.isLive()).isTrue();
                assertThat(port.readiness().statusCode()).isEqualTo(503);
            } finally {
                TestSystem.stack().kafka().restart();
            }
            wire.mend();

            await().atMost(PATIENCE).until(() -> system.rows() == 1);
            await().atMost(PATIENCE).until(() -> port.isReady());
        }
    }

    @Test
    @DisplayName(
            "REP-16 a dead-letter topic that does not exist: not ready, and nothing is passed over until it is there")
    void noDeadLetterTopic() throws Exception {
        try (var admin = system.admin()) {
            admin.deleteTopics(List.of(system.deadLetterTopic())).all().get();
        }
        var application = system.start();
        var before = UUID.randomUUID();
        var after = UUID.randomUUID();
        system.send(
                List.of(
                        UserEvent.upserted(before, 1),
                        UserEvent.upserted(UUID.randomUUID(), 1).value("broken"),
                        UserEvent.upserted(after, 1)),
                0);

        var port = ManagementPort.of(application);
        await().atMost(PATIENCE)
                .untilAsserted(() -> assertThat(port.readiness().body())
                        .contains("topic " + system.deadLetterTopic() + " does not exist"));
        await().atMost(PATIENCE)
                .until(() -> Metrics.of(application).value("consumer_retries_total{consumer=\"author-replica\"}") > 1);
        assertThat(system.committed()).doesNotContainKey(0);

        try (var admin = system.admin()) {
            admin.createTopics(List.of(
                            new org.apache.kafka.clients.admin.NewTopic(system.deadLetterTopic(), 3, (short) 1)))
                    .all()
                    .get();
        }
        system.awaitHandled();
        assertThat(system.rows()).isEqualTo(2);
        assertThat(system.deadLetters()).isNotEmpty();
        assertThat(Metrics.of(application).value("news_replica_upserted_total")).isEqualTo(2);
    }

    @Test
    @DisplayName(
            "design 6: a missing right waits like an outage: no dead letter, and it goes on when the right is there")
    void missingRight() {
        system.sql().execute("revoke insert on news.processed_messages from news_replica");
        var application = system.start();
        var user = UUID.randomUUID();

        system.send(UserEvent.upserted(user, 1));
        await().atMost(PATIENCE)
                .until(() -> Metrics.of(application).value("consumer_retries_total{consumer=\"author-replica\"}") > 1);
        assertThat(system.rows()).as("the row goes with its mark (cases 38)").isZero();

        system.sql().execute("grant insert on news.processed_messages to news_replica");
        system.awaitHandled();
        assertThat(system.row(user)).containsEntry("source_version", 1L);
        assertThat(system.deadLetters()).isEmpty();
    }

    private static List<UUID> users(int count) {
        var users = new ArrayList<UUID>(count);
        for (int i = 0; i < count; i++) {
            users.add(UUID.randomUUID());
        }
        return users;
    }

    private static List<UserEvent> upserts(List<UUID> users, long version) {
        var events = new ArrayList<UserEvent>();
        users.forEach(user -> events.add(UserEvent.upserted(user, version)));
        return events;
    }

    private long newer(long version) {
        return system.sql()
                .queryForObject(
                        "select count(*) from news.author_replicas where source_version > ?", Long.class, version);
    }
}
