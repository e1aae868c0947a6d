package tests.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tests.support.AccessTopic;
import tests.support.AccessTopic.AccessRecord;
import tests.support.Metrics;
import tests.support.Rival;
import tests.support.TestSystem;

@DisplayName("A fan-out")
class FanOutTest {

    @RegisterExtension
    final TestSystem system = new TestSystem();

    @Test
    @DisplayName("FAN-T1 completes an empty role at once, with no events")
    void emptyRole() {
        var identity = system.identity();
        var role = identity.role("agent");
        var task = identity.enqueue(role);

        system.start();

        awaitCompleted(task);
        assertThat(identity.task(task)).containsEntry("processed_count", 0).containsEntry("cursor", null);
        assertThat(identity.outboxRows()).isZero();
        assertThat(system.topic().records(0)).isEmpty();
    }

    @Test
    @DisplayName("FAN-T2 tells each of more than BatchSize users once, over all pages")
    void manyPages() {
        var identity = system.identity();
        var role = identity.role("agent");
        var users = identity.usersOf(role, 23);
        identity.assign(users.get(4), role); // the same role twice: still one event
        var task = identity.enqueue(role);

        system.start("identity.fanout.batch-size", "5");

        var records = system.settled();
        assertThat(AccessTopic.countByUser(records))
                .hasSize(23)
                .containsOnlyKeys(users)
                .allSatisfy((user, count) -> assertThat(count).isEqualTo(1));
        awaitCompleted(task);
        assertThat(identity.task(task)).containsEntry("processed_count", 23).containsEntry("attempt_count", 1);
        assertThat(identity.task(task).get("lease_expires_at")).isNull();
        assertThat(identity.task(task).get("completed_at")).isNotNull();
        assertThat(identity.task(task).get("started_at")).isNotNull();
        assertThat(identity.task(task).get("cursor")).isNotNull();
    }

    @Test
    @DisplayName("FAN-07 completes a role whose last page is exactly full")
    void exactPages() {
        var identity = system.identity();
        var role = identity.role("agent");
        identity.usersOf(role, 10);
        var task = identity.enqueue(role);

        system.start("identity.fanout.batch-size", "5");

        awaitCompleted(task);
        assertThat(identity.task(task)).containsEntry("processed_count", 10);
        assertThat(system.topic().records(10)).hasSize(10);
    }

    @Test
    @DisplayName("FAN-T3 sends the full snapshot: every active assignment of any role, with its code, scope and expiry")
    void fullSnapshot() {
        var identity = system.identity();
        var changed = identity.role("agent");
        var other = identity.role("catalog-editor");
        var company = UUID.randomUUID();
        var project = UUID.randomUUID();
        var user = identity.user(company);
        var first = identity.assign(user, changed);
        var second = UUID.randomUUID();
        identity.sql()
                .update(
                        "insert into identity.role_assignments (id, user_id, role_id, scope_type, scope_organization_id,"
                                + " scope_project_id, expires_at) values (?, ?, ?, 'Project', ?, ?,"
                                + " '2020-02-03 04:05:06.123456+03')",
                        second,
                        user,
                        other,
                        company,
                        project);
        var revoked = identity.assign(user, other);
        identity.sql().update("update identity.role_assignments set status = 'Revoked' where id = ?", revoked);
        var investor = identity.user(null);
        identity.assign(investor, changed);
        identity.enqueue(changed);

        system.start();

        var records = system.topic().records(2);
        var event = eventOf(records, user);
        assertThat(event.assignmentIds())
                .containsExactlyInAnyOrder(first, second)
                .isSortedAccordingTo((a, b) -> a.toString().compareTo(b.toString()));
        assertThat(event.roleCodes()).containsExactlyInAnyOrder("agent", "catalog-editor");
        assertThat(event.json().get("CompanyId").asText()).isEqualTo(company.toString());
        var scoped = event.assignmentIds().indexOf(second);
        var assignment = event.json().get("ActiveAssignments").get(scoped);
        assertThat(assignment.get("ScopeType").asText()).isEqualTo("Project");
        assertThat(assignment.get("ScopeOrganizationId").asText()).isEqualTo(company.toString());
        assertThat(assignment.get("ScopeProjectId").asText()).isEqualTo(project.toString());
        assertThat(assignment.get("ScopeProjectGroupId").isNull()).isTrue();
        assertThat(assignment.get("ExpiresAt").asText())
                .as("past ExpiresAt, but the expiry job has not been here (FAN-09); microseconds kept")
                .isEqualTo("2020-02-03T01:05:06.123456Z");
        assertThat(eventOf(records, investor).json().get("CompanyId").isNull()).isTrue();
    }

    @Test
    @DisplayName("FAN-09 carries the version that the role had when the task was queued")
    void versionOfTheTask() {
        var identity = system.identity();
        var role = identity.role("agent");
        identity.usersOf(role, 3);
        identity.sql().update("update identity.role_definitions set version = 41 where id = ?", role);
        identity.enqueue(role);
        identity.sql().update("update identity.role_definitions set version = 42 where id = ?", role);

        system.start();

        assertThat(system.topic().records(3)).allSatisfy(record -> {
            assertThat(record.event().version()).isEqualTo(41);
            assertThat(record.event().reason()).isEqualTo("RolePermissionsChanged");
        });
    }

    @Test
    @DisplayName("EVT-01 sends records with the key, partition and headers of the contract, and no others")
    void records() {
        var identity = system.identity();
        var role = identity.role("agent");
        identity.usersOf(role, 40);
        identity.enqueue(role);

        system.start();

        var records = system.topic().records(40);
        for (var record : records) {
            assertThat(record.headers())
                    .containsOnlyKeys(
                            "MessageId",
                            "EventType",
                            "ContractVersion",
                            "CreatedAt",
                            "AggregateId",
                            "AggregateType",
                            "CorrelationId",
                            "VersionSource")
                    .containsEntry("EventType", "pin.identity.user-access-changed")
                    .containsEntry("ContractVersion", "1")
                    .containsEntry("AggregateType", "User")
                    .containsEntry("AggregateId", record.key())
                    .containsEntry("VersionSource", "role:" + role);
            assertThat(record.event().userId()).isEqualTo(record.user());
            assertThat(Duration.between(
                            java.time.OffsetDateTime.parse(record.header("CreatedAt")), java.time.OffsetDateTime.now()))
                    .isBetween(Duration.ofMinutes(-1), Duration.ofMinutes(5));
            assertThat(record.raw().partition())
                    .isEqualTo(
                            org.apache.kafka.common.utils.Utils.toPositive(org.apache.kafka.common.utils.Utils.murmur2(
                                            record.raw().key()))
                                    % 6);
        }
        assertThat(records).extracting(r -> r.header("MessageId")).doesNotHaveDuplicates();
        assertThat(new HashSet<>(
                        records.stream().map(r -> r.header("CorrelationId")).toList()))
                .as("one run, one correlation id (FAN-15)")
                .hasSize(1);
    }

    @Test
    @DisplayName("FAN-04 takes the oldest task first, and tasks of one role are never merged")
    void oldestFirst() {
        var identity = system.identity();
        var role = identity.role("agent");
        identity.usersOf(role, 2);
        var younger = identity.enqueue(role);
        var older = identity.enqueue(role);
        identity.sql()
                .update(
                        "update identity.access_fanout_tasks set created_at = now() - interval '1 hour' where id = ?",
                        older);

        system.start();

        awaitCompleted(older);
        awaitCompleted(younger);
        assertThat(identity.sql()
                        .queryForList("select id from identity.access_fanout_tasks order by started_at", UUID.class))
                .containsExactly(older, younger);
        assertThat(system.topic().records(4)).hasSize(4);
    }

    @Test
    @DisplayName("FAN-12 a role archived between queueing and processing is no error: the events show what is left")
    void archivedMeanwhile() {
        var identity = system.identity();
        var role = identity.role("agent");
        identity.usersOf(role, 3);
        var task = identity.enqueue(role);
        identity.sql().update("update identity.role_definitions set status = 'Archived' where id = ?", role);
        identity.sql().update("update identity.role_assignments set status = 'Revoked' where role_id = ?", role);

        system.start();

        awaitCompleted(task);
        assertThat(identity.task(task)).containsEntry("processed_count", 0);
        assertThat(system.topic().records(0)).isEmpty();
    }

    @Test
    @DisplayName("EVT-09 sends an unknown scope type as it is, and counts it")
    void unknownScopeType() {
        var identity = system.identity();
        var role = identity.role("agent");
        var user = identity.user(null);
        var assignment = identity.assign(user, role);
        identity.sql().update("update identity.role_assignments set scope_type = 'Galaxy' where id = ?", assignment);
        identity.enqueue(role);

        var application = system.start();

        var event = system.topic().records(1).get(0).event();
        assertThat(event.json().get("ActiveAssignments").get(0).get("ScopeType").asText())
                .isEqualTo("Galaxy");
        assertThat(Metrics.of(application).value("identity_access_unknown_scope_type_total"))
                .isEqualTo(1);
    }

    @Test
    @DisplayName("FAN-03 takes a task at once that plain SQL has queued, whatever the polling interval")
    void wokenByCommit() {
        var identity = system.identity();
        var role = identity.role("agent");
        identity.usersOf(role, 1);
        system.start("identity.fanout.polling-interval", "1h");
        var first = identity.enqueue(role);
        awaitCompleted(first); // the first could have been found by the poll at the start

        identity.sql().update("insert into identity.access_fanout_tasks (role_id, role_version) values (?, 1)", role);

        assertThat(system.topic().records(2)).hasSize(2);
    }

    @Test
    @DisplayName("cases 21: with every notification lost, polling alone serves")
    void pollingAlone() {
        var identity = system.identity();
        var role = identity.role("agent");
        identity.usersOf(role, 1);
        for (var table : List.of("access_fanout_tasks", "outbox", "access_announcements", "role_archivals")) {
            identity.sql().execute("drop trigger tr_" + table + "_notify on identity." + table);
        }
        system.start("identity.fanout.polling-interval", "200ms", "identity.jobs.polling-interval", "200ms");
        await().until(() -> identity.count("identity.relay_publishers") > 0);

        identity.enqueue(role);
        assertThat(system.settled()).hasSize(1);
        identity.sql()
                .execute("select identity.announce_access(array(select id from identity.users), 'AssignmentGranted')");

        assertThat(system.settled()).hasSize(2);
    }

    @Test
    @DisplayName("cases 23: runs of one instance do not overlap, whatever wakes it while one is at work")
    void noOverlap() throws Exception {
        var identity = system.identity();
        var role = identity.role("agent");
        var user = identity.usersOf(role, 1).get(0);
        var another = identity.role("another");
        var first = identity.enqueue(role);
        try (var rival = new Rival(system.database(), "select identity.lock_access('{" + user + "}')")) {
            var application = system.start("identity.fanout.polling-interval", "20ms");
            rival.awaitWaiting();

            var second = identity.enqueue(another);
            // Polling fires many times, and a notification comes too.
            await().during(Duration.ofMillis(500))
                    .untilAsserted(() -> assertThat(identity.status(second)).isEqualTo("Pending"));
            assertThat(identity.status(first)).isEqualTo("InProgress");
            rival.commit();

            await().untilAsserted(() -> assertThat(identity.status(second)).isEqualTo("Completed"));
            assertThat(identity.status(first)).isEqualTo("Completed");
            assertThat(Metrics.of(application).value("identity_access_fanout_errors_total"))
                    .isZero();
        }
    }

    @Test
    @DisplayName("FAN-17 counts users, batches and tasks by the documented metric names")
    void metrics() {
        var identity = system.identity();
        var role = identity.role("agent");
        identity.usersOf(role, 12);
        var task = identity.enqueue(role);

        var application = system.start("identity.fanout.batch-size", "5", "identity.measure-interval", "100ms");

        awaitCompleted(task);
        await().untilAsserted(() -> {
            var metrics = Metrics.of(application);
            assertThat(metrics.value("identity_access_fanout_users_total")).isEqualTo(12);
            assertThat(metrics.value("identity_access_fanout_batches_total")).isEqualTo(3);
            assertThat(metrics.value("identity_access_fanout_tasks_total{result=\"completed\"}"))
                    .isEqualTo(1);
            assertThat(metrics.value("identity_access_fanout_size_sum")).isEqualTo(12);
            assertThat(metrics.value("identity_access_fanout_task_lag_seconds_count"))
                    .isEqualTo(1);
            assertThat(metrics.value("identity_access_fanout_task_duration_ms_count"))
                    .isEqualTo(1);
            assertThat(metrics.value("identity_access_fanout_errors_total")).isZero();
            assertThat(metrics.value("identity_access_fanout_queue_backlog")).isZero();
            assertThat(metrics.value("identity_access_fanout_failed_tasks")).isZero();
            assertThat(metrics.value("identity_access_fanout_last_success_timestamp_seconds"))
                    .isGreaterThan(1.7e9);
            assertThat(metrics.value("identity_relay_events_total")).isEqualTo(12);
        });
    }

    private static tests.support.AccessEvent eventOf(java.util.List<AccessRecord> records, UUID user) {
        return records.stream()
                .filter(record -> record.user().equals(user))
                .findFirst()
                .orElseThrow()
                .event();
    }

    private void awaitCompleted(UUID task) {
        await().untilAsserted(() -> assertThat(system.identity().status(task)).isEqualTo("Completed"));
    }
}
