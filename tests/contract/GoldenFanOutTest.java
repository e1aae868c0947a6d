package tests.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tests.support.TestSystem;

@DisplayName("The golden record of a changed role")
class GoldenFanOutTest {

    @RegisterExtension
    final TestSystem system = new TestSystem();

    @Test
    @DisplayName("EVT-01 the record of a changed role is what comes out of the database and through Kafka")
    void throughKafka() {
        var golden = GoldenRecord.named("access-role-changed");
        var identity = system.identity();
        identity.sql()
                .update(
                        "insert into identity.users (id, company_id) values (?::uuid, ?::uuid)",
                        golden.key(),
                        text(golden.json(), "CompanyId"));
        for (var assignment : golden.assignments()) {
            identity.sql()
                    .update(
                            "insert into identity.role_definitions (id, code, version) values (?::uuid, ?, ?)",
                            text(assignment, "RoleId"),
                            text(assignment, "RoleCode"),
                            golden.json().get("Version").asLong());
            identity.sql()
                    .update(
                            "insert into identity.role_assignments (id, user_id, role_id, scope_type,"
                                    + " scope_organization_id, scope_project_group_id, scope_project_id, expires_at)"
                                    + " values (?::uuid, ?::uuid, ?::uuid, ?, ?::uuid, ?::uuid, ?::uuid, ?::timestamptz)",
                            text(assignment, "AssignmentId"),
                            golden.key(),
                            text(assignment, "RoleId"),
                            text(assignment, "ScopeType"),
                            text(assignment, "ScopeOrganizationId"),
                            text(assignment, "ScopeProjectGroupId"),
                            text(assignment, "ScopeProjectId"),
                            text(assignment, "ExpiresAt"));
        }
        var role = golden.headers().get("VersionSource").substring("role:".length());

        identity.enqueue(UUID.fromString(role));
        system.start();

        var record = system.topic().records(1).get(0);
        assertThat(record.raw().value()).isEqualTo(golden.bytes());
        assertThat(record.key()).isEqualTo(golden.key());
        assertThat(sameForEveryRun(record.headers())).isEqualTo(sameForEveryRun(golden.headers()));
    }

    /** Without what differs between two runs, and without the trace, which a change may have or not. */
    private static Map<String, String> sameForEveryRun(Map<String, String> headers) {
        var same = new HashMap<>(headers);
        same.keySet().removeAll(List.of("MessageId", "CreatedAt", "CorrelationId", "traceparent"));
        return same;
    }

    private static @Nullable String text(JsonNode json, String field) {
        return json.get(field).isNull() ? null : json.get(field).asText();
    }
}
