package tests.contract;

import static org.assertj.core.api.Assertions.assertThat;

import app.ContractHeaders;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import demo.EventSchema;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import processors.identity.AccessChangeReason;

@DisplayName("The golden records")
class GoldenRecordsTest {

    private static final Map<String, EventSchema> VALUES = Map.of(
            GoldenRecord.ACCESS_EVENT,
            new EventSchema("user-access-changed.v1.json"),
            "pin.identity.user-upserted",
            new EventSchema("user-upserted.v1.json"),
            "pin.identity.user-blocked",
            new EventSchema("user-blocked.v1.json"));
    private static final EventSchema ACCESS_HEADERS = new EventSchema("access-headers.v1.json");
    private static final EventSchema USERS_HEADERS = new EventSchema("users-headers.v1.json");

    @ParameterizedTest(name = "EVT-02 is valid: {0}")
    @MethodSource("tests.contract.GoldenRecord#today")
    void validToday(GoldenRecord golden) {
        assertValid(golden);
    }

    @ParameterizedTest(name = "EVT-09 EVT-10 is valid already: {0}")
    @MethodSource("tests.contract.GoldenRecord#tomorrow")
    void validTomorrow(GoldenRecord golden) {
        assertValid(golden);
    }

    @ParameterizedTest(name = "EVT-02 is what the producer writes, byte for byte: {0}")
    @MethodSource("tests.contract.GoldenRecord#accessToday")
    void written(GoldenRecord golden) throws JsonProcessingException {
        var written = AccessProducer.write(golden);

        assertThat(written.value()).isEqualTo(golden.value());
        assertThat(written.headers()).isEqualTo(golden.headers());
        assertThat(written.key()).isEqualTo(golden.key());
    }

    @Test
    @DisplayName("EVT-02 show every reason, every scope type, the empty set, a user without company and both sources")
    void cover() {
        var records = GoldenRecord.accessToday().toList();

        assertThat(records)
                .extracting(record -> text(record.json(), "ChangeReason"))
                .containsAll(Arrays.stream(AccessChangeReason.values())
                        .map(Enum::name)
                        .toList());
        assertThat(records.stream().flatMap(record -> record.assignments().stream()))
                .extracting(assignment -> text(assignment, "ScopeType"))
                .contains("Platform", "Organization", "ProjectGroup", "Project")
                .anyMatch(scope -> !List.of("Platform", "Organization", "ProjectGroup", "Project")
                        .contains(scope));
        assertThat(records).anyMatch(record -> record.assignments().isEmpty());
        assertThat(records).anyMatch(record -> record.json().get("CompanyId").isNull());
        assertThat(records.stream()
                        .filter(record -> text(record.json(), "ChangeReason").equals("RolePermissionsChanged"))
                        .map(record -> record.headers().get("VersionSource").split(":")[0]))
                .containsExactlyInAnyOrder("assignment", "role");
    }

    @Test
    @DisplayName("REP-09 REP-10 show every known type and status of a user")
    void coverUsers() {
        var upserts = GoldenRecord.today()
                .filter(record -> record.eventType().equals("pin.identity.user-upserted"))
                .toList();

        assertThat(upserts)
                .extracting(record -> text(record.json(), "Type"))
                .contains("Investor", "DeveloperManager", "Agent", "PinEmployee", "PartnerManager");
        assertThat(upserts)
                .extracting(record -> text(record.json(), "Status"))
                .contains("Invited", "Active", "Blocked", "Archived");
    }

    @Test
    @DisplayName("have a MessageId of their own each")
    void messageIds() {
        var ids = Stream.concat(GoldenRecord.today(), GoldenRecord.tomorrow())
                .map(record -> record.headers().get("MessageId"))
                .toList();
        assertThat(new HashSet<>(ids)).hasSameSizeAs(ids);
    }

    private static void assertValid(GoldenRecord golden) {
        assertThat(VALUES.get(golden.eventType()).errors(golden.bytes())).isEmpty();
        assertThat((golden.isAccess() ? ACCESS_HEADERS : USERS_HEADERS).errors(golden.headersAsJson()))
                .isEmpty();
        assertThat(golden.topic()).isEqualTo(golden.isAccess() ? "pin.identity.access.v1" : "pin.identity.users.v1");
        assertThat(golden.key())
                .isEqualTo(golden.json().get("UserId").asText())
                .isEqualTo(golden.headers().get("AggregateId"));
        assertThat(ContractHeaders.ALLOWED).containsAll(golden.headers().keySet());
    }

    private static @Nullable String text(JsonNode json, String field) {
        return json.get(field).isNull() ? null : json.get(field).asText();
    }
}
