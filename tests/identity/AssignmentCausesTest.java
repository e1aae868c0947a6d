package tests.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static tests.support.AccessTopic.countByUser;

import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.camel.CamelExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import processors.identity.AssignmentGrant;
import processors.identity.AssignmentRejectedException;
import processors.identity.ResourceScope;
import processors.identity.ResourceScope.Type;
import tests.support.AccessTopic.AccessRecord;
import tests.support.Causes;
import tests.support.Metrics;
import tests.support.Rival;
import tests.support.TestSystem;

@DisplayName("Grant, revoke, archive, expiry")
class AssignmentCausesTest {

    @RegisterExtension
    final TestSystem system = new TestSystem();

    @Test
    @DisplayName("EVT-03 a grant: one AssignmentGranted with everything the user holds, version 1 + the highest so far")
    void grant() {
        var identity = system.identity();
        var company = UUID.randomUUID();
        var user = identity.user(company);
        var held = identity.assign(user, identity.role("agent"));
        var revoked = identity.assign(user, identity.role("old-role"));
        identity.sql()
                .update("update identity.role_assignments set status = 'Revoked', version = 7 where id = ?", revoked);
        var role = identity.role("developer-manager");
        var expiresAt = OffsetDateTime.parse("2099-03-01T12:00:00.123456+03:00");
        var project = UUID.randomUUID();
        var grant =
                new AssignmentGrant(UUID.randomUUID(), user, role, ResourceScope.project(company, project), expiresAt);

        var changed = new Causes(system.start()).grant(grant);

        var record = only(system.topic().records(1));
        assertThat(record.key()).isEqualTo(user.toString());
        assertThat(record.header("VersionSource")).isEqualTo("assignment");
        assertThat(record.header("CorrelationId"))
                .isEqualTo(changed.correlationId().toString());
        assertThat(record.event().reason()).isEqualTo("AssignmentGranted");
        assertThat(record.event().version()).isEqualTo(8);
        assertThat(record.event().assignmentIds()).containsExactlyInAnyOrder(held, grant.assignmentId());
        assertThat(record.event().assignment(grant.assignmentId()))
                .containsEntry("RoleCode", "developer-manager")
                .containsEntry("ScopeType", "Project")
                .containsEntry("ScopeOrganizationId", company.toString())
                .containsEntry("ScopeProjectId", project.toString())
                .containsEntry("ScopeProjectGroupId", null);
        assertThat(OffsetDateTime.parse(
                        (String) record.event().assignment(grant.assignmentId()).get("ExpiresAt")))
                .isEqualTo(expiresAt);
        assertThat(version(grant.assignmentId())).isEqualTo(8);
        assertThat(version(held)).as("untouched").isEqualTo(1);
    }

    @Test
    @DisplayName("EVT-03 a revoke: one AssignmentRevoked with what remains; the last one with the empty set")
    void revoke() {
        var identity = system.identity();
        var user = identity.user(null);
        var first = identity.assign(user, identity.role("agent"));
        var second = identity.assign(user, identity.role("developer-manager"));
        var causes = new Causes(system.start());

        causes.revoke(second);
        causes.revoke(first);

        var records = system.topic().records(2);
        assertThat(records).extracting(r -> r.event().reason()).containsOnly("AssignmentRevoked");
        assertThat(records).extracting(r -> r.event().version()).containsExactly(2L, 3L);
        assertThat(records.get(0).event().assignmentIds()).containsExactly(first);
        assertThat(records.get(1).event().assignmentIds()).isEmpty();
        assertThat(status(first)).isEqualTo("Revoked");
    }

    @Test
    @DisplayName("EVT-05 revoking the younger of two assignments does not look stale")
    void revokeYounger() {
        var identity = system.identity();
        var user = identity.user(null);
        var causes = new Causes(system.start());
        var older = causes.grant(user, identity.role("agent"));
        var younger = causes.grant(user, identity.role("developer-manager"));

        causes.revoke(older);
        causes.revoke(younger);

        assertThat(system.topic().records(4))
                .extracting(r -> r.event().version())
                .containsExactly(1L, 2L, 3L, 4L);
    }

    @Test
    @DisplayName("EVT-03 a batch revoke: one event per user, however many of their assignments it holds")
    void batchRevoke() {
        var identity = system.identity();
        var role = identity.role("agent");
        var other = identity.role("developer-manager");
        var users = identity.usersOf(role, 3);
        users.forEach(user -> identity.assign(user, other));
        var all = identity.sql().queryForList("select id from identity.role_assignments", UUID.class);

        var changed = new Causes(system.start()).revoke(all.toArray(UUID[]::new));

        assertThat(changed.events()).isEqualTo(3);
        var records = system.settled();
        assertThat(countByUser(records)).hasSize(3).containsOnlyKeys(users);
        assertThat(records).hasSize(3).allMatch(r -> r.event().assignmentIds().isEmpty());
    }

    @Test
    @DisplayName(
            "EVT-02 a grant for an organization, and one for a group of projects: the event has the ids that each needs")
    void scopesOfGrants() {
        var user = system.identity().user(null);
        var role = system.identity().role("agent");
        var organization = UUID.randomUUID();
        var projectGroup = UUID.randomUUID();
        var wide = AssignmentGrant.of(user, role, ResourceScope.organization(organization));
        var narrow = AssignmentGrant.of(user, role, ResourceScope.projectGroup(organization, projectGroup));
        var causes = new Causes(system.start());

        causes.grant(wide);
        causes.grant(narrow);

        var event = system.topic().records(2).get(1).event();
        assertThat(event.assignment(wide.assignmentId()))
                .containsEntry("ScopeType", "Organization")
                .containsEntry("ScopeOrganizationId", organization.toString())
                .containsEntry("ScopeProjectGroupId", null)
                .containsEntry("ScopeProjectId", null);
        assertThat(event.assignment(narrow.assignmentId()))
                .containsEntry("ScopeType", "ProjectGroup")
                .containsEntry("ScopeOrganizationId", organization.toString())
                .containsEntry("ScopeProjectGroupId", projectGroup.toString())
                .containsEntry("ScopeProjectId", null);
    }

    @Test
    @DisplayName("EVT-03 revoking what is revoked already changes nothing and tells nobody")
    void revokeAgain() {
        var identity = system.identity();
        var assignment = identity.assign(identity.user(null), identity.role("agent"));
        var causes = new Causes(system.start());

        causes.revoke(assignment);
        assertThat(causes.revoke(assignment).events()).isZero();

        assertThat(version(assignment)).isEqualTo(2);
        assertThat(system.settled()).hasSize(1);
    }

    @Test
    @DisplayName("EVT-03 archiving a user revokes everything with one event")
    void archiveUser() {
        var identity = system.identity();
        var user = identity.user(null);
        var first = identity.assign(user, identity.role("agent"));
        var second = identity.assign(user, identity.role("developer-manager"));

        assertThat(new Causes(system.start()).archiveUser(user).events()).isEqualTo(1);

        var record = only(system.topic().records(1));
        assertThat(record.event().reason()).isEqualTo("AssignmentRevoked");
        assertThat(record.event().assignmentIds()).isEmpty();
        assertThat(status(first)).isEqualTo("Revoked");
        assertThat(status(second)).isEqualTo("Revoked");
    }

    @Test
    @DisplayName("EVT-03 archiving a role takes it from everybody, page by page, and leaves what else they hold")
    void archiveRole() {
        var identity = system.identity();
        var role = identity.role("agent");
        var other = identity.role("developer-manager");
        var users = identity.usersOf(role, 25);
        var kept = identity.assign(users.get(0), other);
        var application = system.start("identity.fanout.batch-size", "10");

        var changed = new Causes(application).archiveRole(role);

        assertThat(changed.events()).isEqualTo(10);
        assertThat(changed.complete()).isFalse();
        var records = system.topic().records(25);
        assertThat(countByUser(records))
                .hasSize(25)
                .allSatisfy((user, count) -> assertThat(count).isEqualTo(1));
        assertThat(records)
                .allMatch(r -> r.event().reason().equals("AssignmentRevoked"))
                .allMatch(r ->
                        r.header("CorrelationId").equals(changed.correlationId().toString()));
        assertThat(records)
                .filteredOn(r -> r.user().equals(users.get(0)))
                .allMatch(r -> r.event().assignmentIds().equals(List.of(kept)));
        await().untilAsserted(() ->
                assertThat(identity.count("identity.role_archivals")).isZero());
        assertThat(identity.sql()
                        .queryForObject(
                                "select count(*) from identity.role_assignments where role_id = ? and status = 'Active'",
                                Long.class,
                                role))
                .isZero();
    }

    @Test
    @DisplayName("EVT-03 an archiving that was cut off after its first page is finished by another instance")
    void archiveRoleCutOff() throws Exception {
        var identity = system.identity();
        var role = identity.role("agent");
        identity.usersOf(role, 25);
        var application = system.start(
                "identity.fanout.batch-size",
                "10",
                "camel.main.auto-startup-exclude-pattern",
                "role-archivals,jobs-poll");
        new Causes(application).archiveRole(role);
        application.close();
        assertThat(identity.count("identity.role_archivals")).isEqualTo(1);

        system.startProcess();

        assertThat(countByUser(system.topic().records(25))).hasSize(25);
        await().untilAsserted(() ->
                assertThat(identity.count("identity.role_archivals")).isZero());
    }

    @Test
    @DisplayName("EVT-03 assignments whose end has come expire: one event per user, whatever else they hold stays")
    void expiry() {
        var identity = system.identity();
        var user = identity.user(null);
        var role = identity.role("agent");
        var due = identity.assign(user, role);
        var alsoDue = identity.assign(user, identity.role("developer-manager"));
        var later = identity.assign(user, identity.role("catalog-editor"));
        var revoked = identity.assign(user, role);
        identity.sql()
                .update(
                        "update identity.role_assignments set expires_at = now() - interval '1 hour' where id in (?, ?, ?)",
                        due,
                        alsoDue,
                        revoked);
        identity.sql()
                .update(
                        "update identity.role_assignments set expires_at = now() + interval '1 hour' where id = ?",
                        later);
        identity.sql().update("update identity.role_assignments set status = 'Revoked' where id = ?", revoked);

        system.start("identity.expiry.schedule", "* * * * * ?");

        var record = only(system.topic().records(1));
        assertThat(record.event().reason()).isEqualTo("AssignmentExpired");
        assertThat(record.event().version()).isEqualTo(2);
        assertThat(record.event().assignmentIds()).containsExactly(later);
        assertThat(status(due)).isEqualTo("Expired");
        assertThat(status(alsoDue)).isEqualTo("Expired");
        assertThat(status(revoked)).isEqualTo("Revoked");
        assertThat(version(later)).isEqualTo(1);
    }

    @Test
    @DisplayName("EVT-03 two instances expire many assignments: each user hears of it once")
    void expiryOnTwoInstances() throws Exception {
        var identity = system.identity();
        var role = identity.role("agent");
        var users = identity.usersOf(role, 3_000);
        identity.sql().update("update identity.role_assignments set expires_at = now() - interval '1 hour'");
        String[] settings = {"identity.expiry.schedule", "* * * * * ?", "identity.fanout.batch-size", "50"};
        system.startProcess(settings);
        system.startProcess(settings);

        system.topic().records(users.size());

        var records = system.settled();
        assertThat(records).hasSize(users.size());
        assertThat(countByUser(records)).hasSize(users.size());
        assertThat(identity.sql()
                        .queryForList("select distinct status || version from identity.role_assignments", String.class))
                .containsExactly("Expired2");
    }

    @Test
    @DisplayName(
            "EVT-03 assignments that another service holds locked hold up neither expiry nor archiving of the others")
    void lockedByOthers() {
        var identity = system.identity();
        var due = identity.role("due");
        var archived = identity.role("archived");
        var dueUsers = identity.usersOf(due, 60);
        var holders = identity.usersOf(archived, 60);
        identity.sql()
                .update(
                        "update identity.role_assignments set expires_at = now() - interval '1 hour' where role_id = ?",
                        due);
        var causes =
                new Causes(system.start("identity.expiry.schedule", "* * * * * ?", "identity.fanout.batch-size", "20"));

        identity.sql().execute("begin");
        identity.sql()
                .queryForList(
                        "select id from identity.role_assignments where user_id in (?, ?) for update",
                        dueUsers.get(0),
                        holders.get(0));
        causes.archiveRole(archived);
        assertThat(countByUser(system.topic().records(118)))
                .doesNotContainKeys(dueUsers.get(0), holders.get(0))
                .hasSize(118);
        identity.sql().execute("rollback");

        assertThat(countByUser(system.topic().records(120))).hasSize(120);
        await().untilAsserted(() ->
                assertThat(identity.count("identity.role_archivals")).isZero());
    }

    @Test
    @DisplayName("EVT-03 an assignment that cannot be changed is passed over by expiry and archiving, and tried again")
    void refusedByTheDatabase() {
        var identity = system.identity();
        var due = identity.role("due");
        var archived = identity.role("archived");
        var dueUsers = identity.usersOf(due, 20);
        identity.usersOf(archived, 20);
        var archivedLater = identity.role("archived-later");
        identity.usersOf(archivedLater, 20);
        identity.sql()
                .update(
                        "update identity.role_assignments set expires_at = now() - interval '1 hour' where role_id = ?",
                        due);
        var refused = identity.sql()
                .queryForList(
                        "select (array_agg(id order by user_id))[1] from identity.role_assignments where role_id in (?, ?)"
                                + " group by role_id",
                        UUID.class,
                        due,
                        archived);
        identity.sql()
                .execute("create function identity.refuse() returns trigger language plpgsql as 'begin if old.id in ("
                        + refused.stream().map(id -> "''" + id + "''").collect(Collectors.joining(","))
                        + ") then raise exception ''not this one''; end if; return new; end';"
                        + "create trigger refuse before update on identity.role_assignments for each row execute function"
                        + " identity.refuse();");
        identity.sql()
                .update(
                        "insert into identity.role_archivals (role_id, correlation_id) values (?, ?)",
                        archived,
                        archived);
        identity.sql()
                .update(
                        "insert into identity.role_archivals (role_id, correlation_id) values (?, ?)",
                        archivedLater,
                        archivedLater);

        var application = system.start(
                "identity.expiry.schedule", "* * * * * ?",
                "identity.fanout.batch-size", "8",
                "identity.jobs.polling-interval", "500ms");

        assertThat(countByUser(system.topic().records(58))).hasSize(58);
        assertThat(Metrics.of(application).value("identity_access_job_failures_total{name=\"expiry\"}"))
                .isPositive();
        identity.sql().execute("drop trigger refuse on identity.role_assignments");
        assertThat(countByUser(system.topic().records(60))).hasSize(60).containsKeys(dueUsers.toArray(UUID[]::new));
        await().untilAsserted(() ->
                assertThat(identity.count("identity.role_archivals")).isZero());
    }

    @Test
    @DisplayName("EVT-03 a user with thousands of assignments can be archived")
    void manyAssignments() {
        var identity = system.identity();
        var user = identity.user(null);
        var role = identity.role("agent");
        identity.sql()
                .update(
                        "insert into identity.role_assignments (id, user_id, role_id, scope_type, version) select"
                                + " gen_random_uuid(), ?, ?, 'Platform', n from generate_series(1, 12000) n",
                        user,
                        role);
        identity.sql().execute("analyze identity.role_assignments");
        var causes = new Causes(system.start());

        // Beyond the statement time-out of 60 s if each row asked for the version anew.
        assertThat(causes.archiveUser(user).events()).isEqualTo(1);

        assertThat(only(system.topic().records(1)).event().version()).isEqualTo(12_001);
    }

    @Test
    @DisplayName("EVT-03 a grant that races an archiving loses: nobody holds an archived role afterwards")
    void grantAgainstArchive() throws Exception {
        var identity = system.identity();
        var causes = new Causes(system.start());
        var actors = Executors.newFixedThreadPool(4);
        try {
            for (int round = 0; round < 20; round++) {
                var role = identity.role("role-" + round);
                var users = Stream.generate(() -> identity.user(null)).limit(3).toList();
                var start = new CyclicBarrier(4);
                var grants = new ArrayList<java.util.concurrent.Future<Boolean>>();
                for (var user : users) {
                    grants.add(actors.submit(() -> {
                        start.await();
                        try {
                            causes.grant(user, role);
                            return true;
                        } catch (CamelExecutionException e) {
                            assertThat(e).rootCause().isInstanceOf(AssignmentRejectedException.class);
                            return false;
                        }
                    }));
                }
                start.await();
                causes.archiveRole(role);
                for (var grant : grants) {
                    grant.get();
                }
                assertThat(identity.sql()
                                .queryForObject(
                                        "select count(*) from identity.role_assignments where role_id = ? and status ="
                                                + " 'Active'",
                                        Long.class,
                                        role))
                        .as("holders of an archived role")
                        .isZero();
            }
        } finally {
            actors.shutdown();
        }
    }

    @Test
    @DisplayName("EVT-03 an assignment that another service is writing while the role is archived is revoked with it")
    void strangersGrantAgainstArchive() throws Exception {
        var identity = system.identity();
        var role = identity.role("agent");
        var user = identity.user(null);
        var assignment = UUID.randomUUID();
        var causes = new Causes(system.start());
        var actor = Executors.newSingleThreadExecutor();
        try (var rival = new Rival(
                system.database(),
                "insert into identity.role_assignments (id, user_id, role_id, scope_type) values ('" + assignment
                        + "', '" + user + "', '" + role + "', 'Platform')")) {
            var archiving = actor.submit(() -> causes.archiveRole(role));
            rival.awaitWaiting();
            rival.commit();

            assertThat(archiving.get().events()).isEqualTo(1);
            assertThat(status(assignment)).isEqualTo("Revoked");
        } finally {
            actor.shutdown();
        }
    }

    @Test
    @DisplayName("EVT-03 what cannot be granted or revoked is refused with its reason, and nothing has changed")
    void refused() {
        var identity = system.identity();
        var user = identity.user(null);
        var role = identity.role("agent");
        var archived = identity.role("old-role");
        identity.sql().update("update identity.role_definitions set status = 'Archived' where id = ?", archived);
        var held = identity.assign(user, role);
        var causes = new Causes(system.start());
        var unknown = UUID.randomUUID();

        assertRejected(() -> causes.grant(user, unknown), "role " + unknown + " does not exist");
        assertRejected(() -> causes.grant(user, archived), "(old-role) is archived");
        assertRejected(() -> causes.grant(unknown, role), "user " + unknown + " does not exist");
        assertRejected(
                () -> causes.grant(new AssignmentGrant(held, user, role, ResourceScope.platform(), null)),
                "assignment " + held + " exists already");
        assertRejected(
                () -> causes.grant(new AssignmentGrant(
                        unknown, user, role, ResourceScope.platform(), OffsetDateTime.parse("2020-01-01T00:00:00Z"))),
                "would end at 2020-01-01T00:00Z, which is past");
        assertRejected(() -> causes.revoke(held, unknown), "do not exist: [" + unknown + "]");
        assertRejected(() -> causes.archiveRole(unknown), "role " + unknown + " does not exist");

        assertThat(identity.count("identity.role_assignments")).isEqualTo(1);
        assertThat(status(held)).isEqualTo("Active");
        assertThat(system.topic().committed()).isEmpty();
    }

    @ParameterizedTest(name = "EVT-02 a scope {0} with organization {1}, group {2}, project {3}: {4}")
    @MethodSource("scopes")
    void scopeRules(
            Type type,
            @Nullable UUID organization,
            @Nullable UUID group,
            @Nullable UUID project,
            @Nullable String refusal) {
        if (refusal == null) {
            assertThat(new ResourceScope(type, organization, group, project).typeName())
                    .isEqualTo(type.name());
        } else {
            assertThatThrownBy(() -> new ResourceScope(type, organization, group, project))
                    .isInstanceOf(AssignmentRejectedException.class)
                    .hasMessageEndingWith(refusal);
        }
    }

    static Stream<Arguments> scopes() {
        var id = UUID.fromString("00000000-0000-4000-8000-000000000001");
        return Stream.of(
                Arguments.of(Type.Platform, null, null, null, null),
                Arguments.of(Type.Platform, id, null, null, "cannot have a ScopeOrganizationId"),
                Arguments.of(Type.Organization, id, null, null, null),
                Arguments.of(Type.Organization, null, null, null, "needs a ScopeOrganizationId"),
                Arguments.of(Type.Organization, id, id, null, "cannot have a ScopeProjectGroupId"),
                Arguments.of(Type.ProjectGroup, id, id, null, null),
                Arguments.of(Type.ProjectGroup, id, null, null, "needs a ScopeProjectGroupId"),
                Arguments.of(Type.ProjectGroup, null, id, null, "needs a ScopeOrganizationId"),
                Arguments.of(Type.ProjectGroup, id, id, id, "cannot have a ScopeProjectId"),
                Arguments.of(Type.Project, id, null, id, null),
                Arguments.of(Type.Project, id, id, id, null),
                Arguments.of(Type.Project, id, null, null, "needs a ScopeProjectId"),
                Arguments.of(Type.Project, null, null, id, "needs a ScopeOrganizationId"));
    }

    private static void assertRejected(Runnable change, String reason) {
        assertThatThrownBy(change::run)
                .rootCause()
                .isInstanceOf(AssignmentRejectedException.class)
                .hasMessageContaining(reason);
    }

    private String status(UUID assignment) {
        return system.identity()
                .sql()
                .queryForObject("select status from identity.role_assignments where id = ?", String.class, assignment);
    }

    private long version(UUID assignment) {
        return system.identity()
                .sql()
                .queryForObject("select version from identity.role_assignments where id = ?", Long.class, assignment);
    }

    private static AccessRecord only(List<AccessRecord> records) {
        assertThat(records).hasSize(1);
        return records.get(0);
    }
}
