package tests.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import app.SettingException;
import app.Settings;
import java.nio.charset.StandardCharsets;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import processors.identity.AccessContractV2;
import processors.identity.UserAccessChanged;
import tests.support.AccessTopic;
import tests.support.Causes;
import tests.support.TestSystem;

@DisplayName("Dual publishing of two contracts")
class DualPublishingTest {

    /** An invented second contract: a breaking change, for it names the user differently and lists role codes only. */
    public static final class Invented implements AccessContractV2 {

        @Override
        public Object map(UserAccessChanged event) {
            return Map.of(
                    "Subject",
                    event.userId(),
                    "Roles",
                    event.activeAssignments().stream()
                            .map(UserAccessChanged.ActiveRoleAssignment::roleCode)
                            .sorted()
                            .toList());
        }
    }

    @RegisterExtension
    final TestSystem system = new TestSystem();

    private AccessTopic topicV2;

    @BeforeEach
    void createTopic() throws Exception {
        topicV2 = system.anotherTopic("v2");
        topicV2.create(6);
    }

    @AfterEach
    void deleteTopic() throws Exception {
        topicV2.close();
    }

    private String[] settings(String until) {
        return new String[] {
            "identity.topic-v2.enabled",
            "true",
            "identity.topic-v2.name",
            topicV2.name(),
            "identity.topic-v2.v1-until",
            until,
            "identity.topic-v2.mapping",
            Invented.class.getName()
        };
    }

    @Test
    @DisplayName("EVT-13 every event goes to both topics under both contracts, with the same MessageId and order")
    void both() {
        var identity = system.identity();
        var role = identity.role("agent", "leads.read");
        var users = identity.usersOf(role, 3);
        var causes = new Causes(system.start(settings("2099-12-31")));

        var assignment = causes.grant(users.get(0), identity.role("developer-manager"));
        causes.revoke(assignment);
        identity.enqueue(role);

        var v1 = system.topic().records(5);
        var v2 = topicV2.records(5);
        assertThat(v1).hasSize(5).allMatch(r -> r.header("ContractVersion").equals("1"));
        assertThat(v2).hasSize(5).allMatch(r -> r.header("ContractVersion").equals("2"));
        assertThat(v1).allSatisfy(r -> assertThat(r.event().userId()).isEqualTo(r.user()));
        for (var user : users) {
            assertThat(messageIds(v2, user)).isEqualTo(messageIds(v1, user));
        }
        assertThat(v2)
                .filteredOn(r -> r.user().equals(users.get(0)))
                .extracting(r -> new String(r.raw().value(), StandardCharsets.UTF_8))
                .allMatch(value -> value.contains("\"Subject\":\"" + users.get(0) + "\""))
                .first()
                .asString()
                .contains("\"Roles\":[\"agent\",\"developer-manager\"]");
        await().untilAsserted(() -> assertThat(identity.outboxRows()).isZero());
    }

    @Test
    @DisplayName("EVT-13 after its last day, ContractVersion 1 is no longer published")
    void sunset() {
        var identity = system.identity();
        var users = identity.usersOf(identity.role("agent"), 2);
        var yesterday = LocalDate.now(ZoneOffset.UTC).minusDays(1).toString();
        var today = LocalDate.now(ZoneOffset.UTC).plusDays(1).toString();
        try (var ended = system.start(settings(yesterday))) {
            new Causes(ended).archiveUser(users.get(0));
            assertThat(topicV2.records(1)).hasSize(1);
        }
        new Causes(system.start(settings(today))).archiveUser(users.get(1));

        assertThat(topicV2.records(2)).hasSize(2);
        assertThat(system.topic().records(1))
                .singleElement()
                .satisfies(r -> assertThat(r.user()).isEqualTo(users.get(1)));
    }

    @Test
    @DisplayName("EVT-13 without a second contract, version 2 carries the value of version 1")
    void sameValue() {
        var identity = system.identity();
        var user = identity.usersOf(identity.role("agent"), 1).get(0);
        new Causes(system.start("identity.topic-v2.enabled", "true", "identity.topic-v2.name", topicV2.name()))
                .archiveUser(user);

        assertThat(topicV2.records(1).get(0).raw().value())
                .isEqualTo(system.topic().records(1).get(0).raw().value());
    }

    @Test
    @DisplayName("EVT-13 a last day without a second contract, no day at all, and an unknown mapping are refused")
    void settings() {
        assertRefused("identity.topic-v2.v1-until: '2027-01-01'", "identity.topic-v2.v1-until", "2027-01-01");
        assertRefused(
                "identity.topic-v2.v1-until: 'soon'",
                "identity.topic-v2.v1-until",
                "soon",
                "identity.topic-v2.enabled",
                "true");
        assertRefused(
                "identity.topic-v2.v1-until: '9999-12-31'",
                "identity.topic-v2.v1-until",
                "9999-12-31",
                "identity.topic-v2.enabled",
                "true");
        assertRefused(
                "identity.topic-v2.name: '" + system.topic().name(),
                "identity.topic-v2.name",
                system.topic().name(),
                "identity.topic-v2.enabled",
                "true");
        assertRefused(
                "identity.topic-v2.mapping: 'processors.identity.AccessContractV2'",
                "identity.topic-v2.mapping",
                "processors.identity.AccessContractV2");
        assertRefused("identity.expiry.schedule: '0 0 0 1 1 ? 2020'", "identity.expiry.schedule", "0 0 0 1 1 ? 2020");
        assertRefused("identity.topic-v2.mapping: 'java.lang.String'", "identity.topic-v2.mapping", "java.lang.String");
    }

    private void assertRefused(String message, String... overrides) {
        assertThatThrownBy(() -> Settings.load(null, Map.of(), system.settings(overrides)))
                .isInstanceOf(SettingException.class)
                .hasMessageStartingWith(message);
    }

    private static List<String> messageIds(List<AccessTopic.AccessRecord> records, UUID user) {
        return records.stream()
                .filter(r -> r.user().equals(user))
                .map(r -> r.header("MessageId"))
                .toList();
    }
}
