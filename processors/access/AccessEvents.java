package processors.access;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.DateTimeException;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import processors.consuming.EventValue;

/**
 * Reads the value of an access event. Whatever could make a right look wider than it is breaks the contract; unknown fields
 * are left out, and values that a later version of the contract may add are reported (EVT-09). No reason quotes what it is
 * about.
 */
final class AccessEvents {

    static final String TYPE = "pin.identity.user-access-changed";
    static final String INVALID_PAYLOAD = "ACCESS_CACHE_INVALID_PAYLOAD";

    private static final String ROLE_PERMISSIONS_CHANGED = "RolePermissionsChanged";
    private static final Set<String> REASONS =
            Set.of("AssignmentGranted", "AssignmentRevoked", "AssignmentExpired", ROLE_PERMISSIONS_CHANGED);
    private static final Set<String> SCOPES = Set.of("Platform", "Organization", "ProjectGroup", "Project");

    private AccessEvents() {}

    /** @throws processors.consuming.RejectedException if the value breaks the contract */
    static AccessEvent read(byte @Nullable [] value) {
        var event = EventValue.of(value, INVALID_PAYLOAD);
        var userId = event.uuid(event.required("UserId"), "UserId");
        var companyId = event.optionalUuid("CompanyId");
        var reason = text(event, event.required("ChangeReason"), "ChangeReason");
        var unknown = new TreeSet<String>();
        if (!REASONS.contains(reason)) {
            unknown.add("ChangeReason");
        }
        var list = event.required("ActiveAssignments");
        if (!list.isArray()) {
            throw event.rejected("ActiveAssignments is not an array");
        }
        var assignments = JsonNodeFactory.instance.arrayNode(list.size());
        var roleIds = new LinkedHashSet<UUID>();
        for (int i = 0; i < list.size(); i++) {
            addAssignment(event, list.get(i), "ActiveAssignments[" + i + "]", assignments, roleIds, unknown);
        }
        return new AccessEvent(
                userId,
                companyId,
                reason.equals(ROLE_PERMISSIONS_CHANGED),
                unknown,
                assignments.toString(),
                roleIds,
                EventValue.version(event.get("Version")));
    }

    private static void addAssignment(
            EventValue event,
            JsonNode json,
            String path,
            ArrayNode assignments,
            Set<UUID> roleIds,
            Set<String> unknown) {
        if (!json.isObject()) {
            throw event.rejected(path + " is not an object");
        }
        var assignment = assignments.addObject();
        put(assignment, "AssignmentId", required(event, json, "AssignmentId", path));
        var roleId = required(event, json, "RoleId", path);
        roleIds.add(roleId);
        put(assignment, "RoleId", roleId);
        assignment.put(
                "RoleCode", text(event, event.required(json, "RoleCode", path + ".RoleCode"), path + ".RoleCode"));
        var scope = text(event, event.required(json, "ScopeType", path + ".ScopeType"), path + ".ScopeType");
        if (!SCOPES.contains(scope)) {
            unknown.add("ScopeType");
        }
        assignment.put("ScopeType", scope);
        putScopeId(
                event,
                json,
                path,
                assignment,
                "ScopeOrganizationId",
                SCOPES.contains(scope) && !scope.equals("Platform"));
        putScopeId(event, json, path, assignment, "ScopeProjectGroupId", scope.equals("ProjectGroup"));
        putScopeId(event, json, path, assignment, "ScopeProjectId", scope.equals("Project"));
        assignment.put("ExpiresAt", expiresAt(event, EventValue.get(json, "ExpiresAt"), path + ".ExpiresAt"));
    }

    private static UUID required(EventValue event, JsonNode json, String field, String path) {
        return event.uuid(event.required(json, field, path + "." + field), path + "." + field);
    }

    /** A scope without the id that narrows it would be wider than it is. */
    private static void putScopeId(
            EventValue event, JsonNode json, String path, ObjectNode assignment, String field, boolean needed) {
        var id = event.optionalUuid(json, field, path + "." + field);
        if (needed && id == null) {
            throw event.rejected(path + "." + field + " is missing");
        }
        put(assignment, field, id);
    }

    private static void put(ObjectNode assignment, String field, @Nullable UUID id) {
        assignment.put(field, id == null ? null : id.toString());
    }

    private static String text(EventValue event, JsonNode node, String path) {
        if (!node.isTextual()) {
            throw event.rejected(path + " is not a string");
        }
        return event.storable(node.asText(), path);
    }

    /** In UTC and with the microseconds that PostgreSQL keeps. */
    private static @Nullable String expiresAt(EventValue event, @Nullable JsonNode node, String path) {
        if (node == null) {
            return null;
        }
        try {
            var time = OffsetDateTime.parse(text(event, node, path))
                    .withOffsetSameInstant(ZoneOffset.UTC)
                    .truncatedTo(ChronoUnit.MICROS);
            if (time.getYear() >= 1 && time.getYear() <= 9999) {
                return time.toString();
            }
        } catch (DateTimeException e) {
            // said below
        }
        throw event.rejected(path + " is not a time with an offset");
    }
}
