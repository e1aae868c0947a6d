package tests.news;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tests.support.Metrics;
import tests.support.NewsSystem;
import tests.support.Rival;
import tests.support.UserEvent;

@DisplayName("Several writers and consumers")
class RivalsTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    final NewsSystem system = new NewsSystem();

    @Test
    @DisplayName("REP-13 a concurrent writer with a newer version wins: the loser reads again, and its event is stale")
    void loserReadsAgain() throws Exception {
        var user = UUID.randomUUID();
        var neighbour = UUID.randomUUID();
        var application = system.start();
        system.send(UserEvent.upserted(user, 1));
        system.awaitHandled();

        try (var rival = new Rival(
                system.database(),
                "update news.author_replicas set source_version = 9, display_name = 'Rival' where id = '" + user
                        + "'")) {
            system.send(UserEvent.upserted(user, 5, "Loser", "Name"), UserEvent.upserted(neighbour, 1));
            rival.awaitWaiting();
            rival.commit();
        }
        system.awaitHandled();

        assertThat(system.row(user)).containsEntry("source_version", 9L).containsEntry("display_name", "Rival");
        assertThat(system.rows()).isEqualTo(2);
        assertThat(Metrics.of(application).value("news_replica_stale_total")).isEqualTo(1);
        assertThat(system.marks()).as("stale records leave a mark").isEqualTo(3);
    }

    @Test
    @DisplayName(
            "REP-06 a row that is deleted while its block waits for it: skipped as missing, and the consumer goes on")
    void rowDeletedMeanwhile() throws Exception {
        var user = UUID.randomUUID();
        var application = system.start();
        system.send(UserEvent.upserted(user, 1));
        system.awaitHandled();

        try (var rival = new Rival(system.database(), "delete from news.author_replicas where id = '" + user + "'")) {
            system.send(UserEvent.blocked(user, 5));
            rival.awaitWaiting();
            rival.commit();
        }
        system.awaitHandled();

        assertThat(system.rows()).isZero();
        assertThat(Metrics.of(application).value("news_replica_skipped_total{reason=\"missing\"}"))
                .isEqualTo(1);
    }

    @Test
    @DisplayName("REP-13 a concurrent writer with an older version loses, also when both make the row")
    void firstSeenByTwo() throws Exception {
        var user = UUID.randomUUID();
        system.start();
        try (var rival = making(user)) {
            system.send(UserEvent.blocked(user, 2), UserEvent.upserted(user, 5, "Newer", "Name"));
            rival.awaitWaiting();
            rival.commit();
        }
        system.awaitHandled();

        assertThat(system.row(user)).containsEntry("source_version", 5L).containsEntry("display_name", "Newer Name");
    }

    @Test
    @DisplayName("cases 35: consumers come and go under load: every event is applied once, in the newest state")
    void rebalances() {
        var users = users(400);
        var enough = new AtomicBoolean();
        var sending = CompletableFuture.supplyAsync(() -> {
            long version = 0;
            while (!enough.get()) {
                long next = ++version;
                system.send(users.stream()
                        .map(user -> UserEvent.upserted(user, next))
                        .toList());
                await().atMost(PATIENCE).until(() -> system.lag() < 1_000);
            }
            return version;
        });
        var options = new String[] {"news.replica.batch-size", "20", "news.replica.consumers", "2"};
        var leaving = system.start(options);
        var first = registry(leaving);
        await().atMost(PATIENCE).until(() -> system.rows() > 50);
        var second = registry(system.start(options));
        await().atMost(PATIENCE).until(() -> applied(second) > 0);
        leaving.close();
        var third = registry(system.start(options));
        await().atMost(PATIENCE).until(() -> applied(third) > 0);
        enough.set(true);
        long versions = sending.join();
        system.awaitHandled();

        assertThat(system.sql()
                        .queryForObject(
                                "select count(*) from news.author_replicas where source_version = ?",
                                Long.class,
                                versions))
                .isEqualTo(users.size());
        assertThat(applied(first) + applied(second) + applied(third))
                .as("applied, over all consumers")
                .isEqualTo((double) versions * users.size());
        assertThat(system.marks()).isEqualTo(versions * users.size());
        assertThat(system.deadLetters()).isEmpty();
    }

    @Test
    @DisplayName("cases 25: kill -9 in the middle of a batch: nothing is missing, and nothing is applied twice")
    void killed() throws Exception {
        var users = users(3_000);
        system.sql().execute("create table news.applied (id uuid, source_version bigint)");
        system.sql().execute("""
                create function news.applied() returns trigger language plpgsql security definer as $$
                begin insert into news.applied values (new.id, new.source_version); return new; end $$""");
        system.sql()
                .execute("create trigger t after insert or update on news.author_replicas for each row execute function"
                        + " news.applied()");
        for (int version = 1; version <= 4; version++) {
            long v = version;
            system.send(users.stream().map(user -> UserEvent.upserted(user, v)).toList());
        }
        try (var rival = making(users.get(1_500))) {
            var first = system.startProcess("news.replica.batch-size", "50");
            rival.awaitWaiting();
            first.kill();
        }
        assertThat(system.rows()).isBetween(1L, 2_999L);
        system.startProcess("news.replica.batch-size", "50");
        system.awaitHandled();

        assertThat(system.sql()
                        .queryForObject(
                                "select count(*) from news.author_replicas where source_version = 4", Long.class))
                .isEqualTo(users.size());
        assertThat(system.marks()).isEqualTo(4L * users.size());
        assertThat(system.sql()
                        .queryForList(
                                "select id from news.applied group by id, source_version having count(*) > 1",
                                UUID.class))
                .as("an event that was applied twice")
                .isEmpty();
    }

    @Test
    @DisplayName("cases 27: a failure on one partition holds back its own records, and no offset passes them")
    void twoPartitions() {
        system.sql().execute("revoke insert on news.processed_messages from news_replica");
        system.send(upserts(30), 0);
        system.send(upserts(70), 1);
        var application = system.start("news.replica.batch-size", "10", "news.replica.max-poll-interval", "1s");
        await().atMost(PATIENCE)
                .until(() -> Metrics.of(application).value("consumer_retries_total{consumer=\"author-replica\"}") > 3);
        assertThat(system.committed()).isEmpty();
        system.sql().execute("grant insert on news.processed_messages to news_replica");
        system.awaitHandled();

        assertThat(system.committed()).containsEntry(0, 30L).containsEntry(1, 70L);
        assertThat(system.rows()).isEqualTo(100);
    }

    @Test
    @DisplayName(
            "cases 26: records that trickle in, and a burst after idling, are applied in time; the times are printed")
    void trickle() {
        system.start();
        var warmUp = UUID.randomUUID();
        system.send(UserEvent.upserted(warmUp, 1));
        system.awaitHandled();
        var millis = new ArrayList<Long>();
        for (int i = 0; i < 150; i++) {
            var user = UUID.randomUUID();
            long sent = System.nanoTime();
            system.send(UserEvent.upserted(user, 1));
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(1))
                    .until(() -> system.sql()
                            .queryForObject(
                                    "select exists (select from news.author_replicas where id = ?)",
                                    Boolean.class,
                                    user));
            millis.add((System.nanoTime() - sent) / 1_000_000);
        }
        millis.sort(null);
        System.out.println("latency of a single record: p50 " + millis.get(75) + " ms, p99 " + millis.get(148) + " ms");
        assertThat(millis.get(75))
                .as("p50 in ms: no record waits for a poll to time out")
                .isLessThan(2_000);

        system.send(upserts(5_000), null);
        system.awaitHandled();
        assertThat(system.rows()).isEqualTo(5_151);
    }

    /** Somebody else who has made this user's row, and has not committed it. */
    private Rival making(UUID user) throws SQLException {
        return new Rival(
                system.database(),
                "insert into news.author_replicas (id, display_name, type, status, source_version, synced_at) values ('"
                        + user + "', 'Rival', 'Agent', 'Active', 3, now())");
    }

    private static double applied(PrometheusMeterRegistry registry) {
        return new Metrics(registry.scrape()).value("news_replica_upserted_total");
    }

    /** It outlives its application. */
    private static PrometheusMeterRegistry registry(app.AccessApplication application) {
        return application.camel().getRegistry().findSingleByType(PrometheusMeterRegistry.class);
    }

    private static List<UUID> users(int count) {
        var users = new ArrayList<UUID>(count);
        for (int i = 0; i < count; i++) {
            users.add(UUID.randomUUID());
        }
        return users;
    }

    private static List<UserEvent> upserts(int count) {
        return users(count).stream().map(user -> UserEvent.upserted(user, 1)).toList();
    }
}
