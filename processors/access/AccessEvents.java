package processors.access;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
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
import processors.consuming.Metadata;
import processors.consuming.RejectedException;

/**
 * Reads the value of an access event. Whatever could make a right look wider than it is breaks the contract; unknown fields
 * are left out, and values that a later version of the contract may add are reported (EVT-09). No reason quotes what it is
 * about.
 */
final class AccessEvents {

    static final String TYPE = "pin.identity.user-access-changed";
    static final String INVALID_PAYLOAD = "ACCESS_CACHE_INVALID_PAYLOAD";

    private static final JsonFactory JSON = new JsonFactory();
    private static final String ROLE_PERMISSIONS_CHANGED = "RolePermissionsChanged";
    private static final Set<String> REASONS =
            Set.of("AssignmentGranted", "AssignmentRevoked", "AssignmentExpired", ROLE_PERMISSIONS_CHANGED);
    private static final Set<String> SCOPES = Set.of("Platform", "Organization", "ProjectGroup", "Project");

    private AccessEvents() {}

    /** Whom a value names that breaks the contract otherwise; null where it does not say. */
    static @Nullable UUID userId(byte @Nullable [] value) {
        try {
            var node = EventValue.of(value, INVALID_PAYLOAD).get("UserId");
            return node == null || !node.isTextual() ? null : Metadata.uuid(node.asText());
        } catch (RejectedException e) {
            return null;
        }
    }

    /** @throws RejectedException if the value breaks the contract */
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
        var roleIds = new LinkedHashSet<UUID>();
        var assignments = assignments(event, list, roleIds, unknown);
        return new AccessEvent(
                userId,
                companyId,
                reason.equals(ROLE_PERMISSIONS_CHANGED),
                unknown,
                assignments,
                roleIds,
                EventValue.version(event.get("Version")));
    }

    /** The same list with the fields of the contract, and no others. */
    private static String assignments(EventValue event, JsonNode list, Set<UUID> roleIds, Set<String> unknown) {
        var text = new StringWriter();
        try (var json = JSON.createGenerator(text)) {
            json.writeStartArray();
            for (int i = 0; i < list.size(); i++) {
                writeAssignment(event, list.get(i), "ActiveAssignments[" + i + "]", json, roleIds, unknown);
            }
            json.writeEndArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e); // a string is always written
        }
        return text.toString();
    }

    private static void writeAssignment(
            EventValue event, JsonNode from, String path, JsonGenerator json, Set<UUID> roleIds, Set<String> unknown)
            throws IOException {
        if (!from.isObject()) {
            throw event.rejected(path + " is not an object");
        }
        json.writeStartObject();
        write(json, "AssignmentId", required(event, from, "AssignmentId", path));
        var roleId = required(event, from, "RoleId", path);
        roleIds.add(roleId);
        write(json, "RoleId", roleId);
        json.writeStringField("RoleCode", requiredText(event, from, "RoleCode", path));
        var scope = requiredText(event, from, "ScopeType", path);
        if (!SCOPES.contains(scope)) {
            unknown.add("ScopeType");
        }
        json.writeStringField("ScopeType", scope);
        boolean inOrganization = SCOPES.contains(scope) && !scope.equals("Platform");
        write(json, "ScopeOrganizationId", scopeId(event, from, "ScopeOrganizationId", path, inOrganization));
        write(
                json,
                "ScopeProjectGroupId",
                scopeId(event, from, "ScopeProjectGroupId", path, scope.equals("ProjectGroup")));
        write(json, "ScopeProjectId", scopeId(event, from, "ScopeProjectId", path, scope.equals("Project")));
        json.writeStringField("ExpiresAt", expiresAt(event, EventValue.get(from, "ExpiresAt"), path + ".ExpiresAt"));
        json.writeEndObject();
    }

    private static UUID required(EventValue event, JsonNode json, String field, String path) {
        return event.uuid(event.required(json, field, path + "." + field), path + "." + field);
    }

    private static String requiredText(EventValue event, JsonNode json, String field, String path) {
        return text(event, event.required(json, field, path + "." + field), path + "." + field);
    }

    /** A scope without the id that narrows it would be wider than it is. */
    private static @Nullable UUID scopeId(EventValue event, JsonNode json, String field, String path, boolean needed) {
        var id = event.optionalUuid(json, field, path + "." + field);
        if (needed && id == null) {
            throw event.rejected(path + "." + field + " is missing");
        }
        return id;
    }

    private static void write(JsonGenerator json, String field, @Nullable UUID id) throws IOException {
        json.writeStringField(field, id == null ? null : id.toString());
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
