package tests.access;

import static org.assertj.core.api.Assertions.assertThat;
import static tests.support.AccessChange.of;
import static tests.support.AccessChange.ofAssignments;
import static tests.support.AccessChange.ofRole;

import app.AccessApplication;
import java.nio.charset.StandardCharsets;
import java.sql.Timestamp;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.UUID;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tests.support.AccessChange;
import tests.support.AccessChange.Assignment;
import tests.support.CacheSystem;
import tests.support.ConsumerSystem;
import tests.support.Metrics;

@DisplayName("The access cache")
class AccessCacheTest {

    @RegisterExtension
    final CacheSystem system = new CacheSystem();

    private UUID user = UUID.randomUUID();
    private final UUID role = UUID.randomUUID();
    private final Assignment agent = Assignment.of(role, "agent");
    private final Assignment manager = Assignment.of(UUID.randomUUID(), "manager");

    @Test
    @DisplayName("EVT-07 an event replaces the whole set, and an empty list is stored as one")
    void replaces() {
        var application = system.start();

        handle(ofAssignments(user, 1, agent, manager));
        assertThat(system.roleCodes(user)).isEqualTo("agent manager");
        handle(ofAssignments(user, 2, manager));
        assertThat(system.roleCodes(user)).isEqualTo("manager");
        handle(ofAssignments(user, 3));

        assertThat(system.roleCodes(user)).isEmpty();
        assertThat(system.row(user)).containsEntry("state", "Fresh");
        assertThat(system.row(user).get("assignments")).hasToString("[]");
        assertThat(system.row(user).get("versions")).hasToString("{\"assignment\": 3}");
        assertThat(metric(application, "applied_total")).isEqualTo(3);
        assertThat(metric(application, "delay_seconds_count")).isEqualTo(3);
    }

    @Test
    @DisplayName(
            "EVT-07 what is stored is the contract's fields; unknown ones are left out, and a reader may ask by scope")
    void fields() {
        system.start();

        handle(ofAssignments(user, 1, agent.until("2099-01-01T03:00:00.1234567+03:00"))
                .replacing("\"RoleCode\"", "\"Tomorrow\":{\"a\":[1]},\"RoleCode\"")
                .replacing("\"CompanyId\":null", "\"CompanyId\":\"" + role + "\",\"AlsoNew\":1"));

        assertThat(system.row(user).get("assignments"))
                .hasToString("[{\"RoleId\": \"" + role
                        + "\", \"RoleCode\": \"agent\", \"ExpiresAt\": \"2099-01-01T00:00:00.123456Z\","
                        + " \"ScopeType\": \"Organization\", \"AssignmentId\": \"" + agent.id()
                        + "\", \"ScopeProjectId\": null, \"ScopeOrganizationId\": \"" + agent.organization()
                        + "\", \"ScopeProjectGroupId\": null}]");
        assertThat(system.row(user)).containsEntry("company_id", role);
    }

    @Test
    @DisplayName("FAN-T6 an event of a smaller Version of its role is dropped; across sources nothing is")
    void staleWithinSource() {
        var application = system.start();
        handle(ofRole(user, role, 7, agent));
        assertThat(system.row(user).get("versions")).hasToString("{\"role:" + role + "\": 7}");
        var before = updatedAt();

        handle(ofRole(user, role, 6, agent, manager));
        assertThat(system.roleCodes(user)).isEqualTo("agent");
        assertThat(updatedAt()).as("a dropped event changes nothing").isEqualTo(before);

        handle(ofAssignments(user, 1, manager));
        assertThat(system.roleCodes(user)).as("another source").isEqualTo("manager");
        var otherRole = UUID.randomUUID();
        handle(ofRole(user, otherRole, 2, agent));
        assertThat(system.roleCodes(user)).as("another role").isEqualTo("agent");
        assertThat(metric(application, "dropped_total", "reason=\"stale\"")).isEqualTo(1);
    }

    @Test
    @DisplayName(
            "EVT-08 of an equal Version the same MessageId is dropped, and another one applied; also one before the last")
    void equalVersions() {
        system.start();
        var first = ofAssignments(user, 5, agent, manager);
        handle(first);
        // Another service has revoked an assignment whose own version is smaller: the greatest stays what it was.
        handle(ofAssignments(user, 5, manager));
        assertThat(system.roleCodes(user)).isEqualTo("manager");

        // What a relay that was killed sends again.
        handle(first);

        assertThat(system.roleCodes(user))
                .as("the older picture has not come back")
                .isEqualTo("manager");
    }

    @Test
    @DisplayName(
            "EVT-07 an event with an unchanged set advances updated_at, and so does the change of a role, once for all")
    void updatedAtAdvances() {
        system.start();
        handle(ofAssignments(user, 1, agent));
        var before = updatedAt();
        handle(ofRole(user, role, 2, agent));
        assertThat(updatedAt()).isAfter(before);

        var changedAt = roleChangedAt();
        assertThat(changedAt).isAfter(before);
        handle(ofRole(UUID.randomUUID(), role, 2, agent));
        assertThat(roleChangedAt()).as("the same change, of another user").isEqualTo(changedAt);
        handle(ofAssignments(user, 2, agent));
        assertThat(roleChangedAt()).as("no change of a role").isEqualTo(changedAt);
        handle(ofRole(user, role, 3, agent));
        assertThat(roleChangedAt()).isAfter(changedAt);
    }

    @Test
    @DisplayName(
            "EVT-07 a role's change without VersionSource, or announced, voids what is cached of every role of the snapshot")
    void rolesOfSnapshot() {
        system.start();
        handle(of(user, "RolePermissionsChanged", 2, agent, manager));
        assertThat(system.sql().queryForList("select role_id from access_cache.role_changes", UUID.class))
                .containsExactlyInAnyOrder(role, manager.role());
        var changedAt = roleChangedAt();

        handle(of(user, "RolePermissionsChanged", 2, agent).header("VersionSource", "assignment"));

        assertThat(roleChangedAt()).isAfter(changedAt);
    }

    @Test
    @DisplayName(
            "EVT-08 without VersionSource: a role's change, and the first event about assignments after it, invalidate")
    void unsourcedRoleChange() {
        system.start();
        handle(of(user, "AssignmentGranted", 3, agent));
        assertThat(system.roleCodes(user)).isEqualTo("agent");

        handle(of(user, "RolePermissionsChanged", 9, agent));
        assertInvalidated();
        handle(of(user, "AssignmentRevoked", 4));
        assertInvalidated();

        handle(of(user, "AssignmentGranted", 5, manager));
        assertThat(system.roleCodes(user)).as("any later event repairs").isEqualTo("manager");
    }

    @Test
    @DisplayName(
            "EVT-08 without VersionSource: a smaller Version under an unseen MessageId invalidates, a seen one is dropped")
    void unsourcedSmallerVersion() {
        system.start();
        var first = of(user, "AssignmentGranted", 3, agent, manager);
        handle(first);
        handle(of(user, "AssignmentGranted", 4, agent, manager));
        handle(first);
        assertThat(system.state(user)).isEqualTo("Fresh");

        // The younger of two assignments is revoked: its own version is smaller.
        handle(of(user, "AssignmentRevoked", 2, agent));

        assertInvalidated();
        handle(of(user, "AssignmentGranted", 4, agent));
        assertThat(system.roleCodes(user)).isEqualTo("agent");
    }

    @Test
    @DisplayName("EVT-08 a VersionSource that cannot be read is as good as none")
    void unreadableSource() {
        system.start();
        for (var source : List.of("", "role:1", "Role:x", "assignment;drop")) {
            user = UUID.randomUUID();
            handle(of(user, "RolePermissionsChanged", 2, agent).header("VersionSource", source));
            assertInvalidated();
        }
    }

    @Test
    @DisplayName("EVT-08 a Version that is missing, not a number or smaller than 1 invalidates")
    void badVersion() {
        var application = system.start();
        var versions = List.of("null", "0", "-1", "1.5", "\"7\"", "9223372036854775808", "[]");
        for (var version : versions) {
            user = UUID.randomUUID();
            handle(
                    ofAssignments(user, 1, agent),
                    ofAssignments(user, 2, agent).replacing("\"Version\":2", "\"Version\":" + version));
            assertInvalidated();
        }
        assertThat(system.deadLetters()).isEmpty();
        assertThat(metric(application, "invalidated_total", "reason=\"bad-version\""))
                .isEqualTo(versions.size());
    }

    @Test
    @DisplayName(
            "EVT-09 an unknown ChangeReason or ScopeType invalidates this user and nobody else (cases 46); the next event repairs")
    void unknownEnum() {
        system.start();
        var other = UUID.randomUUID();
        handle(ofAssignments(other, 1, agent));
        var others = system.row(other);
        for (var known : List.of("AssignmentGranted", "Organization")) {
            user = UUID.randomUUID();
            handle(
                    ofAssignments(user, 1, agent),
                    ofAssignments(user, 2, agent).replacing("\"" + known + "\"", "\"Tomorrow\""));
            assertInvalidated();
        }

        assertThat(system.row(other)).isEqualTo(others);
        handle(ofAssignments(user, 3, manager));
        assertThat(system.roleCodes(user)).isEqualTo("manager");
    }

    @Test
    @DisplayName("EVT-10 another ContractVersion: a warning, and it is applied")
    void otherContract() {
        var application = system.start();

        handle(ofAssignments(user, 1, agent).header("ContractVersion", "2"));

        assertThat(system.roleCodes(user)).isEqualTo("agent");
        assertThat(metric(application, "other_contract_total")).isEqualTo(1);
    }

    @Test
    @DisplayName(
            "EVT-07 it fails closed: a broken payload with a readable key invalidates that user, and is a dead letter")
    void broken() {
        var application = system.start();
        var breakages = new ArrayList<UnaryOperator<AccessChange>>();
        for (var value : List.of("", "{", "[]", "\"x\"", "{}", "null", "\u0000")) {
            breakages.add(event -> event.value(value));
        }
        for (var field : List.of(
                "UserId",
                "ChangeReason",
                "ActiveAssignments",
                "AssignmentId",
                "RoleId",
                "RoleCode",
                "ScopeType",
                "ScopeOrganizationId")) {
            breakages.add(event -> event.replacing("\"" + field + "\"", "\"Missing\""));
        }
        breakages.add(event -> event.value((byte[]) null));
        breakages.add(event -> event.value(new byte[] {(byte) 0xff, 0, 1}));
        breakages.add(event -> event.value("[".repeat(100_000)));
        breakages.add(event -> event.replacing("\"ExpiresAt\":null", "\"ExpiresAt\":\"tomorrow\""));
        breakages.add(event -> event.replacing("\"RoleCode\":\"manager\"", "\"RoleCode\":\"a\\u0000b\""));
        breakages.add(event -> event.replacing("\"ScopeType\":\"Organization\"", "\"ScopeType\":\"Project\""));
        breakages.add(event -> event.replacing("\"CompanyId\":null", "\"CompanyId\":7"));
        breakages.add(event -> event.header("MessageId", "1"));
        breakages.add(event -> event.withoutHeader("EventType"));
        breakages.add(event -> event.withoutHeader("CreatedAt"));
        var events = new ArrayList<AccessChange>();
        for (var breakage : breakages) {
            user = UUID.randomUUID();
            handle(ofAssignments(user, 1, agent));
            var bad = breakage.apply(ofAssignments(user, 2, agent, manager));
            events.add(bad);
            handle(bad);
            assertInvalidated();
        }

        assertThat(system.rows()).isEqualTo(breakages.size());
        assertThat(system.deadLetters())
                .hasSize(breakages.size())
                .allSatisfy(letter -> {
                    assertThat(ConsumerSystem.text(letter, "DeadLetterCode")).isEqualTo("ACCESS_CACHE_INVALID_PAYLOAD");
                    assertThat(ConsumerSystem.text(letter, "DeadLetterReason"))
                            .doesNotContain(new String(letter.key()));
                })
                .extracting(letter -> letter.value())
                .containsExactlyInAnyOrderElementsOf(
                        events.stream().map(AccessChange::value).toList());
        assertThat(metric(application, "invalidated_total", "reason=\"broken\""))
                .isEqualTo(breakages.size());
        handle(ofAssignments(user, 3, manager));
        assertThat(system.roleCodes(user)).as("the next event repairs").isEqualTo("manager");
    }

    @Test
    @DisplayName("EVT-07 without a readable key: a dead letter, and whom the value names is invalidated all the same")
    void unreadableKey() {
        var application = system.start();
        handle(ofAssignments(user, 1, agent));

        handle(
                ofAssignments(user, 2).key(null),
                ofAssignments(UUID.randomUUID(), 1).key(new byte[] {1}).value("x"));

        assertInvalidated();
        assertThat(system.rows()).isEqualTo(1);
        assertThat(system.deadLetters())
                .hasSize(2)
                .allSatisfy(letter -> assertThat(ConsumerSystem.text(letter, "DeadLetterCode"))
                        .isEqualTo("ACCESS_CACHE_UNREADABLE_KEY"));
        assertThat(metric(application, "dlq_total", "code=\"ACCESS_CACHE_UNREADABLE_KEY\""))
                .isEqualTo(2);
    }

    @Test
    @DisplayName("EVT-07 an event of one user under the key of another invalidates both")
    void keyOfAnother() {
        system.start();
        var other = UUID.randomUUID();
        handle(ofAssignments(user, 1, agent), ofAssignments(other, 1, agent));

        handle(ofAssignments(other, 2).key(user.toString().getBytes(StandardCharsets.UTF_8)));

        assertInvalidated();
        assertThat(system.state(other)).isEqualTo("Invalidated");
    }

    @Test
    @DisplayName("EVT-07 a broken event about a role voids what is cached of the role, also beside one that is read")
    void brokenRoleEvent() {
        system.start();
        handle(ofRole(user, role, 3, agent));
        var changedAt = roleChangedAt();

        handle(
                ofRole(UUID.randomUUID(), role, 3, agent),
                ofRole(UUID.randomUUID(), role, 3, agent).value("broken"));

        assertThat(roleChangedAt()).isAfter(changedAt);
    }

    @ParameterizedTest(
            name =
                    "EVT-08 more events of one Version than are remembered: none is believed that may be old, {0} VersionSource")
    @ValueSource(strings = {"with", "without"})
    void manyOfOneVersion(String versionSource) {
        system.start();
        boolean sourced = versionSource.equals("with");
        var first = sourced ? ofAssignments(user, 2, agent, manager) : of(user, "AssignmentRevoked", 2, agent, manager);
        var events = new ArrayList<>(List.of(first));
        for (int i = 0; i < 100; i++) {
            events.add(sourced ? ofAssignments(user, 2, agent) : of(user, "AssignmentRevoked", 2, agent));
        }
        handle(events.toArray(AccessChange[]::new));

        handle(first);

        assertInvalidated();
    }

    @Test
    @DisplayName("EVT-08 thirty events of one Version, of which the oldest comes again: the last picture stays")
    void manyComeAgain() {
        system.start();
        var events = new ArrayList<>(List.of(ofAssignments(user, 2, agent, manager)));
        for (int i = 0; i < 30; i++) {
            events.add(ofAssignments(user, 2, agent));
        }
        handle(events.toArray(AccessChange[]::new));

        handle(events.get(0)); // the rest of what comes again is late

        assertThat(system.roleCodes(user)).isEqualTo("agent");
    }

    @Test
    @DisplayName("EVT-07 what the database refuses fails closed too: a dead letter, and that user is invalidated")
    void refusedByDatabase() {
        system.sql().execute("alter table access_cache.user_access add check (assignments::text not like '%manager%')");
        system.start();
        handle(ofAssignments(user, 1, agent));
        var others = List.of(
                ofAssignments(UUID.randomUUID(), 1, agent),
                ofAssignments(UUID.randomUUID(), 1, agent),
                ofAssignments(user, 2, manager),
                ofAssignments(UUID.randomUUID(), 1, agent));

        handle(others.toArray(AccessChange[]::new));

        assertInvalidated();
        assertThat(system.rows()).isEqualTo(4);
        assertThat(system.deadLetters())
                .singleElement()
                .satisfies(letter -> assertThat(ConsumerSystem.text(letter, "DeadLetterReason"))
                        .isEqualTo("the database refuses the row, SQLSTATE 23514"));
    }

    @Test
    @DisplayName("EVT-07 several events of one user in one poll are folded in their order; other types are passed over")
    void oneBatch() {
        system.send(List.of(
                ofAssignments(user, 1, agent),
                ofRole(user, role, 4, agent, manager),
                ofAssignments(user, 1).value("broken"),
                ofAssignments(user, 2, manager).header("EventType", "pin.identity.something-else"),
                ofAssignments(user, 3, agent),
                ofRole(user, role, 3)));

        system.start();
        system.awaitHandled();

        assertThat(system.roleCodes(user)).isEqualTo("agent");
        assertThat(system.row(user).get("versions")).hasToString("{\"assignment\": 3, \"role:" + role + "\": 4}");
        assertThat(system.deadLetters()).hasSize(1);
    }

    @Test
    @DisplayName("EVT-07 readers see no assignment past its ExpiresAt, and nobody who is invalidated")
    void readers() {
        system.start();
        handle(ofAssignments(user, 1, agent.until("2001-01-01T00:00:00Z"), manager.until("2099-01-01T00:00:00Z")));

        assertThat(system.roleCodes(user)).isEqualTo("manager");
        system.sql().execute("set role access_cache_reader");
        try {
            assertThat(system.roleCodes(user)).as("as the reader's role").isEqualTo("manager");
        } finally {
            system.sql().execute("reset role");
        }
    }

    private void handle(AccessChange... events) {
        system.send(events);
        system.awaitHandled();
    }

    private void assertInvalidated() {
        assertThat(system.row(user)).containsEntry("state", "Invalidated").containsEntry("assignments", null);
        assertThat(system.roleCodes(user)).as("readers do not see the user").isNull();
    }

    /** @param labels as the scrape spells them */
    private double metric(AccessApplication application, String name, String... labels) {
        var all = new TreeSet<>(List.of(labels));
        all.add("group=\"" + system.group() + "\"");
        return Metrics.of(application).value("access_cache_" + name + "{" + String.join(",", all) + "}");
    }

    private Timestamp updatedAt() {
        return (Timestamp) system.row(user).get("updated_at");
    }

    private Timestamp roleChangedAt() {
        return system.sql()
                .queryForObject(
                        "select changed_at from access_cache.role_changes where role_id = ?", Timestamp.class, role);
    }
}
