package tests.support;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import demo.AccessEventSchema;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The value of a record as a consumer reads it; it cannot be had from a value that breaks the shipped schema. */
public record AccessEvent(JsonNode json) {

    private static final ObjectMapper JSON = new ObjectMapper();
    private static final AccessEventSchema SCHEMA = new AccessEventSchema();

    static AccessEvent parse(byte[] value) {
        var errors = SCHEMA.errors(value);
        if (!errors.isEmpty()) {
            throw new AssertionError("the event breaks its schema: " + errors + "\n" + new String(value));
        }
        try {
            return new AccessEvent(JSON.readTree(value));
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    public UUID userId() {
        return UUID.fromString(json.get("UserId").asText());
    }

    public String reason() {
        return json.get("ChangeReason").asText();
    }

    public long version() {
        return json.get("Version").asLong();
    }

    public List<UUID> assignmentIds() {
        var ids = new ArrayList<UUID>();
        json.get("ActiveAssignments")
                .forEach(a -> ids.add(UUID.fromString(a.get("AssignmentId").asText())));
        return ids;
    }

    /** One assignment of the snapshot by its id, as names and values of its fields. */
    public Map<String, Object> assignment(UUID id) {
        for (var assignment : json.get("ActiveAssignments")) {
            if (assignment.get("AssignmentId").asText().equals(id.toString())) {
                return JSON.convertValue(assignment, new TypeReference<>() {});
            }
        }
        throw new AssertionError("no assignment " + id + " in " + json);
    }

    public List<String> roleCodes() {
        var codes = new ArrayList<String>();
        json.get("ActiveAssignments").forEach(a -> codes.add(a.get("RoleCode").asText()));
        return codes;
    }
}
