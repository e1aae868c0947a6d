package tests.support;

import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A record of {@code pin.identity.access.v1}. */
public final class AccessChange extends EventRecord<AccessChange> {

    public static final String TYPE = "pin.identity.user-access-changed";

    private AccessChange(UUID user, String json) {
        super(TYPE, user, json);
    }

    /** Of the source {@code assignment}. */
    public static AccessChange ofAssignments(UUID user, long version, Assignment... assignments) {
        return of(user, "AssignmentGranted", version, assignments).header("VersionSource", "assignment");
    }

    /** Of the source {@code role:} and this role. */
    public static AccessChange ofRole(UUID user, UUID role, long version, Assignment... assignments) {
        return of(user, "RolePermissionsChanged", version, assignments).header("VersionSource", "role:" + role);
    }

    /** Without a VersionSource. */
    public static AccessChange of(UUID user, String reason, long version, Assignment... assignments) {
        return new AccessChange(
                user,
                "{\"UserId\":\"%s\",\"CompanyId\":null,\"ChangeReason\":\"%s\",\"ActiveAssignments\":[%s],\"Version\":%d}"
                        .formatted(
                                user,
                                reason,
                                Stream.of(assignments).map(Assignment::json).collect(Collectors.joining(",")),
                                version));
    }

    /** An assignment of a role in an organization, with or without an end. */
    public record Assignment(UUID id, UUID role, String code, UUID organization, String expiresAt) {

        public static Assignment of(UUID role, String code) {
            return new Assignment(UUID.randomUUID(), role, code, UUID.randomUUID(), null);
        }

        public Assignment until(String time) {
            return new Assignment(id, role, code, organization, time);
        }

        String json() {
            return """
                    {"AssignmentId":"%s","RoleId":"%s","RoleCode":"%s","ScopeType":"Organization",\
                    "ScopeOrganizationId":"%s","ScopeProjectGroupId":null,"ScopeProjectId":null,"ExpiresAt":%s}""".formatted(id, role, code, organization, expiresAt == null ? "null" : "\"" + expiresAt + "\"");
        }
    }
}
