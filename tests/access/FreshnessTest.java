package tests.access;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import app.AccessApplication;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import processors.identity.Watermarks;
import tests.support.Metrics;
import tests.support.TestSystem;

@DisplayName("Freshness")
class FreshnessTest {

    @RegisterExtension
    final TestSystem system = new TestSystem();

    private final Watermarks watermarks = new Watermarks();

    @Test
    @DisplayName(
            "EVT-12 what was committed in identity before the time in access_cache.freshness is applied here, and the time goes on when nothing happens")
    void goesOn() throws Exception {
        var application = start();
        var identity = system.identity();
        var role = identity.role("agent");
        var users = new ArrayList<UUID>();
        for (int i = 0; i < 20; i++) {
            users.addAll(identity.usersOf(role, 1));
            announce(users.get(i));
            var committed = now();

            await().until(() -> isAfter(appliedUntil(), committed));

            assertThat(identity.sql().queryForList("select user_id from access_cache.current_access", UUID.class))
                    .as("applied when the time says so")
                    .containsAll(users);
        }
        var idle = now();
        await().until(() -> isAfter(appliedUntil(), idle.plusSeconds(1)));
        assertThat(Metrics.of(application).value("access_cache_applied_until_timestamp_seconds{group=\"gateway\"}"))
                .isGreaterThan(idle.toEpochSecond());
    }

    @Test
    @DisplayName(
            "EVT-12 an event that waits in the outbox is younger than what caused it, and holds the time back all the same")
    void eventsWait() throws Exception {
        start("camel.main.auto-startup-exclude-pattern", "relay-heartbeat");
        var identity = system.identity();
        var user = identity.usersOf(identity.role("agent"), 1).get(0);
        await().until(() -> appliedUntil() != null);
        announce(user);
        var committed = now();
        await().until(() -> identity.outboxRows() == 1 && identity.count("identity.access_announcements") == 0);

        await().during(Duration.ofSeconds(2))
                .atMost(Duration.ofSeconds(30))
                .until(() -> !isAfter(appliedUntil(), committed));
    }

    @Test
    @DisplayName("EVT-12 while the consumer stands still the time does not pass what it has not applied; then it does")
    void consumerStandsStill() throws Exception {
        var application = start();
        var identity = system.identity();
        var role = identity.role("agent");
        await().until(() -> appliedUntil() != null);
        application.camel().getRouteController().stopRoute("access-cache");
        var user = identity.usersOf(role, 1).get(0);
        announce(user);
        var committed = now();
        system.topic().records(1);

        await().during(Duration.ofSeconds(3))
                .atMost(Duration.ofSeconds(30))
                .until(() -> !isAfter(appliedUntil(), committed));
        application.camel().getRouteController().startRoute("access-cache");

        await().until(() -> isAfter(appliedUntil(), committed));
        assertThat(identity.sql()
                        .queryForObject(
                                "select state from access_cache.user_access where user_id = ?", String.class, user))
                .isEqualTo("Fresh");
    }

    @ParameterizedTest(name = "{0}")
    @CsvSource(
            delimiter = ';',
            value = {
                "a task; insert into identity.access_fanout_tasks (id, role_id, role_version, reason) select gen_random_uuid(), id, 1, 'RolePermissionsChanged' from identity.role_definitions",
                "a failed task; insert into identity.access_fanout_tasks (id, role_id, role_version, reason, status) select gen_random_uuid(), id, 1, 'RolePermissionsChanged', 'Failed' from identity.role_definitions",
                "an announcement; select identity.announce_access(array[gen_random_uuid()], 'AssignmentGranted')",
                "a role that is half archived; insert into identity.role_archivals (role_id, correlation_id) select id, gen_random_uuid() from identity.role_definitions",
                "an event in the outbox; insert into identity.outbox (user_id, correlation_id, version_source, payload) values (gen_random_uuid(), gen_random_uuid(), 'assignment', 'x')",
                "a parked event; insert into identity.outbox (user_id, correlation_id, version_source, payload, parked_at, parked_reason) values (gen_random_uuid(), gen_random_uuid(), 'assignment', 'x', now(), 'too large')"
            })
    @DisplayName("EVT-12 the time never passes what is still on its way:")
    void heldBack(String what, String statement) throws Exception {
        system.identity().role("agent");
        var sql = Files.readString(Path.of("sql/identity/relay/complete-until.sql"))
                .replace(":#v1Until", "''");
        var before = next(sql);
        system.identity().sql().execute(statement);
        var committed = now();

        assertThat(before).isBefore(committed);
        assertThat(isAfter(next(sql), committed)).as(what).isFalse();
        await().until(() -> now().isAfter(committed.plusNanos(50_000_000)));
        assertThat(isAfter(next(sql), committed)).as(what + ", a little later").isFalse();
    }

    /** Identity and the cache of a service in one process, with watermarks between them. */
    private AccessApplication start(String... more) throws Exception {
        var watermarks = system.topic().name() + ".watermarks";
        TestSystem.stack().kafka().createTopic(watermarks, 1);
        var settings = new ArrayList<>(List.of(
                "access-cache.freshness-interval",
                "100ms",
                "access-cache.watermark-topic",
                watermarks,
                "identity.watermark-topic",
                watermarks,
                "identity.watermark-interval",
                "200ms"));
        settings.addAll(List.of(more));
        return system.startWithAccessCache(settings.toArray(String[]::new));
    }

    private void announce(UUID user) {
        system.identity()
                .sql()
                .queryForList("select identity.announce_access(array[?]::uuid[], 'AssignmentGranted')", user);
    }

    private OffsetDateTime now() {
        return system.identity().sql().queryForObject("select clock_timestamp()", OffsetDateTime.class);
    }

    /** What the relay would say now. */
    private @Nullable OffsetDateTime next(String sql) {
        return watermarks.next(system.identity()
                .sql()
                .queryForObject(
                        sql,
                        (row, n) -> new Watermarks.Look(
                                row.getObject(1, OffsetDateTime.class),
                                row.getObject(2, Long.class),
                                row.getObject(3, Long.class))));
    }

    private @Nullable OffsetDateTime appliedUntil() {
        return system.identity()
                .sql()
                .query(
                        "select applied_until from access_cache.freshness",
                        row -> row.next() ? row.getObject(1, OffsetDateTime.class) : null);
    }

    private static boolean isAfter(@Nullable OffsetDateTime time, OffsetDateTime other) {
        return time != null && time.isAfter(other);
    }
}
