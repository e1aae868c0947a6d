package tests.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tests.support.AccessChange;
import tests.support.CacheSystem;

@DisplayName("The operator's page of a consumer")
class OperatorPageOfConsumersTest {

    @RegisterExtension
    final CacheSystem system = new CacheSystem();

    @Test
    @DisplayName(
            "EVT-12 shows the delay, the dead letters and what readiness says; of identity, which runs elsewhere, nothing")
    void consumer() {
        var page = OperatorPage.of(system.start("management.operator-page", "true"));
        await().until(() -> page.html().contains("Nothing needs you"));
        assertThat(page.html())
                .contains("access-cache<small>of " + system.group() + "</small>")
                .contains("no event")
                .doesNotContain("Fan-out tasks");

        system.send(
                // Its CreatedAt is months ago.
                AccessChange.ofAssignments(UUID.randomUUID(), 1),
                AccessChange.ofAssignments(UUID.randomUUID(), 1).value("broken"));

        await().untilAsserted(() -> assertThat(page.html())
                .contains("Needs somebody")
                .contains("access-cache has sent dead letters since this process began: 1")
                .containsPattern("access-cache is late: \\d+ days from an event to its commit"));
    }

    @Test
    @DisplayName("EVT-11 is off unless a setting says so")
    void off() {
        assertThat(OperatorPage.of(system.start()).ask("GET", "").statusCode()).isEqualTo(404);
    }
}
