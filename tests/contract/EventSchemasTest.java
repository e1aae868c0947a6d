package tests.contract;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonPointer;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import demo.EventSchema;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import processors.identity.AccessChangeReason;

@DisplayName("The event schemas")
class EventSchemasTest {

    private static final ObjectMapper JSON = new ObjectMapper();

    /** Index 0 is the platform-wide assignment of that record, 1 Organization, 2 ProjectGroup, 3 Project. */
    @ParameterizedTest(name = "EVT-02 an access event is refused with {0} = {1}")
    @CsvSource(
            quoteCharacter = '`',
            nullValues = "missing",
            value = {
                "/UserId, missing",
                "/UserId, null",
                "/UserId, \"11111111-0000-4000-8000-00000000000A\"",
                "/UserId, \"{11111111-0000-4000-8000-000000000001}\"",
                "/CompanyId, \"\"",
                "/ChangeReason, missing",
                "/ChangeReason, null",
                "/ChangeReason, \"\"",
                "/ActiveAssignments, missing",
                "/ActiveAssignments, null",
                "/ActiveAssignments, {}",
                "/Version, missing",
                "/Version, null",
                "/Version, 0",
                "/Version, \"1\"",
                "/Version, 1.5",
                "/Version, 9223372036854775808",
                "/ActiveAssignments/0/AssignmentId, missing",
                "/ActiveAssignments/0/RoleId, null",
                "/ActiveAssignments/0/RoleCode, missing",
                "/ActiveAssignments/0/RoleCode, \"Agent\"",
                "/ActiveAssignments/0/RoleCode, \"a\"",
                "/ActiveAssignments/0/RoleCode, \"a23456789-123456789-123456789-123456789-123456789-123456789-1234\"",
                "/ActiveAssignments/0/ScopeType, missing",
                "/ActiveAssignments/0/ScopeType, \"\"",
                "/ActiveAssignments/0/ExpiresAt, \"2026-09-30T21:00:00\"",
                "/ActiveAssignments/0/ExpiresAt, 1790000000",
                "/ActiveAssignments/1/ScopeOrganizationId, missing",
                "/ActiveAssignments/1/ScopeOrganizationId, null",
                "/ActiveAssignments/2/ScopeOrganizationId, null",
                "/ActiveAssignments/2/ScopeProjectGroupId, null",
                "/ActiveAssignments/3/ScopeOrganizationId, null",
                "/ActiveAssignments/3/ScopeProjectId, missing",
                "/ActiveAssignments/3/ScopeProjectId, null"
            })
    void accessEvent(String pointer, @Nullable String becomes) throws IOException {
        assertRefused("user-access-changed.v1.json", "access-role-changed", pointer, becomes);
    }

    @ParameterizedTest(name = "REP-05 an upsert is refused with {0} = {1}")
    @CsvSource(
            quoteCharacter = '`',
            nullValues = "missing",
            value = {
                "/UserId, missing",
                "/UserId, \"00000000-0000-0000-0000-000000000000\"",
                "/Name, missing",
                "/Name, null",
                "/Name, \"Anna\"",
                "/Name/FirstName, missing",
                "/Name/FirstName, null",
                "/Name/FirstName, \"\"",
                "/Name/FirstName, \"  \"",
                "/Name/LastName, 1",
                "/Type, missing",
                "/Type, \"\"",
                "/Type, 3",
                "/Status, null",
                "/Status, {}",
                "/CompanyId, \"none\"",
                "/Version, missing",
                "/Version, 0",
                "/Version, \"3\""
            })
    void upserted(String pointer, @Nullable String becomes) throws IOException {
        assertRefused("user-upserted.v1.json", "user-upserted-agent", pointer, becomes);
    }

    @ParameterizedTest(name = "REP-05 a block is refused with {0} = {1}")
    @CsvSource(
            quoteCharacter = '`',
            nullValues = "missing",
            value = {
                "/UserId, missing",
                "/UserId, null",
                "/UserId, \"00000000-0000-0000-0000-000000000000\"",
                "/Version, missing",
                "/Version, 0",
                "/BlockedAt, \"yesterday\""
            })
    void blocked(String pointer, @Nullable String becomes) throws IOException {
        assertRefused("user-blocked.v1.json", "user-blocked", pointer, becomes);
    }

    @ParameterizedTest(name = "EVT-01 headers are refused with {0} = {1}")
    @CsvSource(
            quoteCharacter = '`',
            nullValues = "missing",
            value = {
                "/MessageId, missing",
                "/MessageId, \"1\"",
                "/EventType, missing",
                "/ContractVersion, missing",
                "/ContractVersion, \"v1\"",
                "/CreatedAt, missing",
                "/CreatedAt, \"2026-03-02 09:00:00\"",
                "/AggregateId, missing",
                "/AggregateType, \"Role\"",
                "/CorrelationId, missing",
                "/VersionSource, \"role\"",
                "/traceparent, \"4bf92f3577b34da6a3ce929d0e0e4736\""
            })
    void headers(String pointer, @Nullable String becomes) throws IOException {
        var headers = JSON.valueToTree(GoldenRecord.named("access-granted").headers());
        assertRefused(new EventSchema("access-headers.v1.json"), (ObjectNode) headers, pointer, becomes);
    }

    @Test
    @DisplayName("EVT-03 the known reasons are the producer's")
    void reasons() throws IOException {
        assertThat(schema("user-access-changed.v1.json").at("/properties/ChangeReason/x-extensible-enum"))
                .extracting(JsonNode::asText)
                .containsExactlyElementsOf(Arrays.stream(AccessChangeReason.values())
                        .map(Enum::name)
                        .toList());
    }

    @Test
    @DisplayName("EVT-11 an access event has no place for a person, a secret or a permission")
    void nothingPersonal() throws IOException {
        for (var name : new String[] {"user-access-changed.v1.json", "access-headers.v1.json"}) {
            var fields = schema(name).findValues("properties").stream()
                    .flatMap(JsonNode::propertyStream)
                    .map(field -> field.getKey())
                    .toList();
            assertThat(fields)
                    .isNotEmpty()
                    .allSatisfy(field -> assertThat(field)
                            .doesNotContainPattern(
                                    "(?i)name|mail|phone|birth|address|secret|token|password|permission"));
        }
    }

    private static void assertRefused(String schema, String golden, String pointer, @Nullable String becomes)
            throws IOException {
        assertRefused(
                new EventSchema(schema), (ObjectNode) GoldenRecord.named(golden).json(), pointer, becomes);
    }

    /** The valid JSON becomes invalid, for the one change. */
    private static void assertRefused(EventSchema schema, ObjectNode json, String pointer, @Nullable String becomes)
            throws IOException {
        assertThat(schema.errors(bytes(json))).isEmpty();
        var at = JsonPointer.compile(pointer);
        var parent = (ObjectNode) json.at(at.head());
        var field = at.last().getMatchingProperty();
        if (becomes == null) {
            parent.remove(field);
        } else {
            parent.set(field, JSON.readTree(becomes));
        }
        assertThat(schema.errors(bytes(json)))
                .anySatisfy(error -> assertThat(error).contains(field));
    }

    private static JsonNode schema(String name) throws IOException {
        return JSON.readTree(Files.readString(Path.of("schemas", name)));
    }

    private static byte[] bytes(JsonNode json) {
        return json.toString().getBytes(StandardCharsets.UTF_8);
    }
}
