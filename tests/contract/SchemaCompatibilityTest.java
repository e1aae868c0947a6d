package tests.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.STRING;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("A change of a schema")
class SchemaCompatibilityTest {

    private static final Path CURRENT = Path.of("schemas");
    private static final Path PUBLISHED = Path.of("schemas/published");
    private static final ObjectMapper JSON = new ObjectMapper();

    static Stream<String> schemas() throws IOException {
        return names(CURRENT).stream();
    }

    @ParameterizedTest(name = "EVT-13 {0} breaks no reader of its published version")
    @MethodSource("schemas")
    void published(String name) throws IOException {
        assertThat(SchemaCompatibility.breaks(read(PUBLISHED.resolve(name)), read(CURRENT.resolve(name))))
                .as("breaking changes of " + name + " since it was published (schemas/published/README.md)")
                .isEmpty();
    }

    @Test
    @DisplayName("EVT-13 every schema is published, and none that is has gone")
    void complete() throws IOException {
        assertThat(names(CURRENT)).isEqualTo(names(PUBLISHED));
    }

    @ParameterizedTest(name = "EVT-13 is breaking: {0} becomes {1}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            nullValues = "nothing",
            value = {
                // properties
                "/properties/CompanyId | nothing | /properties/CompanyId: the property is gone, or has another name",
                "/$defs/assignment/properties/RoleCode | nothing | /properties/ActiveAssignments/items/properties/RoleCode: the property is gone, or has another name",
                "/required | [\"UserId\",\"ChangeReason\",\"ActiveAssignments\"] | /required: Version is no longer required",
                "/required | nothing | /required: UserId is no longer required",
                "/required | [\"UserId\",\"ChangeReason\",\"ActiveAssignments\",\"Version\",\"CompanyId\"] | /required: CompanyId has become required; older records may not have it",
                "/$defs/assignment/required | [\"AssignmentId\",\"RoleId\",\"ScopeType\"] | /properties/ActiveAssignments/items/required: RoleCode is no longer required",
                // types
                "/properties/Version/type | \"string\" | /properties/Version/type: string is allowed now",
                "/properties/Version/type | \"number\" | /properties/Version/type: number is allowed now",
                "/properties/Version/type | nothing | /properties/Version/type: string is allowed now",
                "/properties/Version/type | [\"integer\",\"null\"] | /properties/Version/type: null is allowed now",
                "/properties/UserId/$ref | \"#/$defs/optionalUuid\" | /properties/UserId/type: null is allowed now",
                "/$defs/uuid/type | [\"string\",\"null\"] | /properties/ActiveAssignments/items/properties/AssignmentId/type: null is allowed now",
                "/$defs/optionalUuid/type | \"string\" | /properties/CompanyId/type: null is no longer allowed; older records may have it",
                "/properties/ActiveAssignments/type | [\"array\",\"null\"] | /properties/ActiveAssignments/type: null is allowed now",
                // values
                "/$defs/uuid/pattern | nothing | /properties/UserId/pattern: \"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$\" is gone; readers rely on it",
                "/$defs/assignment/properties/RoleCode/pattern | \"^.*$\" | /properties/ActiveAssignments/items/properties/RoleCode/pattern: changed from \"^[a-z][a-z0-9-]{1,62}$\" to \"^.*$\"",
                "/properties/Version/minimum | 0 | /properties/Version/minimum: changed from 1 to 0",
                "/properties/Version/maximum | nothing | /properties/Version/maximum: 9223372036854775807 is gone; readers rely on it",
                "/properties/ActiveAssignments/minItems | 1 | /properties/ActiveAssignments/minItems: 1 is new; older records may break it",
                "/$defs/assignment/properties/ExpiresAt/format | \"date\" | /properties/ActiveAssignments/items/properties/ExpiresAt/format: changed from \"date-time\" to \"date\"",
                "/properties/ChangeReason/enum | [\"AssignmentGranted\"] | /properties/ChangeReason/enum: [\"AssignmentGranted\"] is new; older records may break it",
                "/properties/ChangeReason/x-extensible-enum | [\"AssignmentGranted\",\"AssignmentRevoked\",\"AssignmentExpired\"] | /properties/ChangeReason/x-extensible-enum: RolePermissionsChanged is gone",
                "/$defs/assignment/properties/ScopeType/x-extensible-enum | nothing | /properties/ActiveAssignments/items/properties/ScopeType/x-extensible-enum: Platform is gone",
                "/$defs/assignment/allOf/0/if/properties/ScopeType/enum | [\"Organization\",\"ProjectGroup\"] | /properties/ActiveAssignments/items/allOf/0/if: changed from",
                "/$defs/assignment/allOf/1/if/properties/ScopeType/const | \"Group\" | /properties/ActiveAssignments/items/allOf/1/if: changed from",
                // shape
                "/properties/ActiveAssignments/items | nothing | /properties/ActiveAssignments/items: {\"$ref\":\"#/$defs/assignment\"} is gone; readers rely on it",
                "/$defs/assignment/allOf | [] | /properties/ActiveAssignments/items/allOf: changed from",
                "/$defs/assignment/allOf | nothing | /properties/ActiveAssignments/items/allOf: [{\"if\"",
                "/$defs/assignment/allOf/2/then/required | nothing | /properties/ActiveAssignments/items/allOf/2/then/required: ScopeProjectId is no longer required",
                "/$defs/assignment/allOf/0/then/properties/ScopeOrganizationId/$ref | \"#/$defs/optionalUuid\" | /properties/ActiveAssignments/items/allOf/0/then/properties/ScopeOrganizationId/type: null is allowed now",
                "/additionalProperties | false | /additionalProperties: false is new; older records may break it",
                "/unevaluatedProperties | false | /unevaluatedProperties: false is new; older records may break it",
                "/properties/CompanyId | true | /properties/CompanyId: changed from",
                "/$id | \"urn:pin:identity:user-access-changed:v2\" | /$id: changed from",
                "/somethingNew | 1 | /somethingNew: 1 is new; older records may break it"
            })
    void breaking(String pointer, @Nullable String becomes, String report) throws IOException {
        assertThat(changes("user-access-changed.v1.json", pointer, becomes))
                .anySatisfy(line -> assertThat(line).startsWith(report));
    }

    @ParameterizedTest(name = "EVT-13 is breaking in the headers: {0} becomes {1}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            nullValues = "nothing",
            value = {
                "/properties/AggregateType/const | \"Person\" | /properties/AggregateType/const: changed from \"User\" to \"Person\"",
                "/properties/AggregateType/const | nothing | /properties/AggregateType/const: \"User\" is gone; readers rely on it",
                "/properties/AggregateType/enum | [\"User\",\"Person\"] | /properties/AggregateType/enum: [\"User\",\"Person\"] is new; older records may break it",
                "/properties/traceparent | nothing | /properties/traceparent: the property is gone, or has another name"
            })
    void breakingHeaders(String pointer, @Nullable String becomes, String report) throws IOException {
        assertThat(changes("access-headers.v1.json", pointer, becomes)).contains(report);
    }

    @Test
    @DisplayName("EVT-13 is breaking: a closed list gets another value, or loses one")
    void closedList() throws IOException {
        var published = JSON.readTree("{\"enum\": [\"A\", \"B\", \"1\"]}");
        var current = JSON.readTree("{\"enum\": [\"B\", \"C\", 1]}");

        assertThat(SchemaCompatibility.breaks(published, current))
                .containsExactly(
                        "/enum: \"C\" is new, and this list is closed",
                        "/enum: 1 is new, and this list is closed",
                        "/enum: \"1\" is gone",
                        "/enum: \"A\" is gone");
    }

    @ParameterizedTest(name = "EVT-13 is breaking: what {0} refers to is loosened")
    @ValueSource(strings = {"anyOf", "oneOf", "prefixItems", "not", "if", "patternProperties", "additionalProperties"})
    void behindReference(String keyword) throws IOException {
        var referring = keyword.endsWith("Of") || keyword.equals("prefixItems")
                ? "[{\"$ref\": \"#/$defs/code\"}]"
                : "{\"$ref\": \"#/$defs/code\"}";
        var schema = "{\"%s\": %s, \"$defs\": {\"code\": {\"type\": \"string\", \"maxLength\": %d}}}";
        var published = JSON.readTree(schema.formatted(keyword, referring, 8));
        var current = JSON.readTree(schema.formatted(keyword, referring, 9));

        assertThat(SchemaCompatibility.breaks(published, current))
                .singleElement(STRING)
                .startsWith("/" + keyword);
    }

    @Test
    @DisplayName("EVT-13 is breaking: a property with another name, reported once and by its old one")
    void renamed() throws IOException {
        var published = read(PUBLISHED.resolve("user-upserted.v1.json"));
        var current = (ObjectNode) published.deepCopy();
        var properties = (ObjectNode) current.get("properties");
        properties.set("MobileNumber", properties.remove("PhoneNumber"));

        assertThat(SchemaCompatibility.breaks(published, current))
                .containsExactly("/properties/PhoneNumber: the property is gone, or has another name");
    }

    @ParameterizedTest(name = "EVT-13 is additive: {0} becomes {1}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "/properties/Region | {\"type\":[\"string\",\"null\"]}",
                "/$defs/assignment/properties/GrantedBy | {\"$ref\":\"#/$defs/optionalUuid\"}",
                "/properties/ChangeReason/x-extensible-enum/4 | \"CompanySuspended\"",
                "/$defs/assignment/properties/ScopeType/x-extensible-enum/4 | \"Region\"",
                "/description | \"In other words.\"",
                "/properties/CompanyId/description | \"In other words.\"",
                "/examples | [{}]",
                "/$defs/unused | {\"type\":\"string\"}",
                "/properties/CompanyId | {\"type\":[\"null\",\"string\"],\"pattern\":\"^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$\"}"
            })
    void additive(String pointer, String becomes) throws IOException {
        assertThat(changes("user-access-changed.v1.json", pointer, becomes)).isEmpty();
    }

    /** What is reported when the published schema has something else, or nothing, at the pointer. */
    private static List<String> changes(String name, String pointer, @Nullable String becomes) throws IOException {
        var published = read(PUBLISHED.resolve(name));
        var current = published.deepCopy();
        var at = JsonPointer.compile(pointer);
        var parent = current.at(at.head());
        if (parent instanceof ArrayNode list) {
            list.add(JSON.readTree(becomes));
        } else if (becomes == null) {
            ((ObjectNode) parent).remove(at.last().getMatchingProperty());
        } else {
            ((ObjectNode) parent).set(at.last().getMatchingProperty(), JSON.readTree(becomes));
        }
        assertThat(current).as("the changed schema").isNotEqualTo(published);
        return SchemaCompatibility.breaks(published, current);
    }

    private static JsonNode read(Path file) throws IOException {
        return JSON.readTree(Files.readString(file));
    }

    private static List<String> names(Path folder) throws IOException {
        try (var files = Files.list(folder)) {
            var names = files.map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".json"))
                    .sorted()
                    .toList();
            assertThat(names).as("schemas in " + folder).isNotEmpty();
            return names;
        }
    }
}
