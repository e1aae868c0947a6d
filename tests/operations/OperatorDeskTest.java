package tests.operations;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import processors.operator.Check;
import processors.operator.Expected;
import processors.operator.Lane;
import processors.operator.OperatorDesk;
import processors.operator.OperatorPage;
import processors.operator.ParkedRow;
import processors.operator.Task;
import processors.operator.Task.State;
import processors.operator.Totals;

@DisplayName("What the operator's page makes of what was seen")
class OperatorDeskTest {

    private static final OffsetDateTime NOON = OffsetDateTime.parse("2026-05-04T12:00:00Z");
    private static final UUID TASK = UUID.randomUUID();

    private final MeterRegistry metrics = new SimpleMeterRegistry();
    private final OperatorDesk desk = new OperatorDesk(metrics, true);

    @Test
    @DisplayName("EVT-11 before anything has answered the page says so, and not that all is well")
    void first() {
        assertThat(page())
                .contains("Looking")
                .doesNotContain("Nothing needs you")
                .contains("content=\"1\"");
        desk.unanswered();
        assertThat(page()).contains("PostgreSQL does not answer: it has not answered yet");
    }

    @Test
    @DisplayName("EVT-11 the end of a task is expected by how fast it went lately, however long ago it began")
    void expectedEnd() {
        desk.counted(List.of(new Expected(TASK, 5_000, false)));
        see(NOON, 1_000);
        assertThat(page())
                .contains("1,000 of 5,000 users")
                .contains("being measured")
                .contains("not known");

        see(NOON.plusSeconds(10), 2_000);

        assertThat(page())
                .contains("2,000 of 5,000 users")
                .contains("max=\"5000\" value=\"2000\"")
                .contains("100 users/s")
                .contains("in 30 s")
                .contains("2026-05-04 12:00:40 UTC");
    }

    @Test
    @DisplayName("EVT-11 a task that stands still has no expected end")
    void standsStill() {
        desk.counted(List.of(new Expected(TASK, 5_000, false)));
        see(NOON, 1_000);
        see(NOON.plusSeconds(10), 1_000);

        assertThat(page()).contains("0 users/s").contains("not known");
    }

    @Test
    @DisplayName("FAN-20 users are counted up to a bound: beyond it the page says more than, and later than")
    void bound() {
        desk.counted(List.of(new Expected(TASK, 102_000, true)));
        see(NOON, 2_000);
        see(NOON.plusSeconds(10), 4_000);

        assertThat(page()).contains("4,000 of more than 102,000 users").contains("later than in 8 min");
    }

    @Test
    @DisplayName("FAN-20 what was seen half a minute ago says nothing of how fast a task is now")
    void window() {
        desk.counted(List.of(new Expected(TASK, 5_000, false)));
        see(NOON, 0);
        see(NOON.plusMinutes(10), 4_000);

        assertThat(page()).contains("being measured");
    }

    @Test
    @DisplayName(
            "EVT-12 groups and consumers are shown as far as they are known; what nobody knows is unknown, and not 0")
    void unknown() {
        Gauge.builder("identity_access_consumer_lag", () -> 42)
                .tag("group", "crm")
                .register(metrics);
        Gauge.builder("identity_access_consumer_lag", () -> Double.NaN)
                .tag("group", "catalog")
                .register(metrics);
        metrics.summary("news_replica_lag_seconds").record(61);
        Gauge.builder("consumer_lag", () -> 7).tag("consumer", "author-replica").register(metrics);
        metrics.summary("access_cache_delay_seconds", "group", "gateway").record(31);

        assertThat(page())
                .contains("catalog</th><td data-heading=\"Behind\">unknown</td>")
                .contains("crm</th><td data-heading=\"Behind\">42 records</td>")
                .contains("<td data-heading=\"Behind\">7 records</td>")
                .contains("author-replica is late: 61 s")
                .contains("access-cache is late: 31 s")
                .contains("access-cache<small>of gateway</small></th>")
                .contains("<td data-heading=\"Behind\">unknown</td><td data-heading=\"Dead letters\">unknown</td>");
    }

    @Test
    @DisplayName("OPS-04 a lane that nobody publishes, an old task, an old event and an old announcement need somebody")
    void needsSomebody() {
        desk.answered(List.of(new Check("identity-database", true, "")));
        desk.seen(
                new Totals(NOON, 1, 0, 0, 1, NOON.minusSeconds(61), 0, 0),
                List.of(new Task(
                        State.WAITING, TASK, UUID.randomUUID(), "agent", 0, 0, NOON.minusMinutes(6), null, NOON)),
                List.of(new Lane(
                        2, UUID.randomUUID(), false, false, NOON.minusSeconds(30), 10_001, NOON.minusMinutes(3))),
                List.of());

        assertThat(page())
                .contains("Lane 2 is published by nobody")
                .contains("A task has been waiting for a worker for 6 min")
                .contains("Events have been waiting for Kafka for 3 min")
                .contains("Announcements have been waiting for 61 s")
                .contains("10,000+")
                .contains("<title>(4) Access routes</title>");
    }

    @Test
    @DisplayName("OPS-04 with nothing to do nothing needs anybody")
    void idle() {
        desk.answered(List.of(new Check("identity-database", true, "")));
        desk.seen(
                new Totals(NOON, 0, 0, 0, 0, null, 0, 0),
                List.of(),
                List.of(new Lane(0, UUID.randomUUID(), true, true, NOON, 0, null)),
                List.of());

        assertThat(page())
                .contains("Nothing needs you")
                .contains("No task is being worked on.")
                .contains("<title>Access routes</title>")
                .contains("content=\"5\"");
    }

    @Test
    @DisplayName("EVT-11 a name that would fill the page is cut, and never inside a character")
    void longName() {
        desk.seen(
                new Totals(NOON, 1, 0, 0, 0, null, 0, 1),
                List.of(new Task(State.WAITING, TASK, UUID.randomUUID(), "😀".repeat(500), 0, 0, NOON, null, NOON)),
                List.of(),
                List.of(new ParkedRow(1, NOON, "x' onload=\"alert(1)\" & <b>\u0000\u001b")));

        assertThat(page())
                .contains("😀".repeat(120) + "…<small>")
                .contains("x&#39; onload=&quot;alert(1)&quot; &amp; &lt;b&gt;  </td>");
    }

    private void see(OffsetDateTime at, int processed) {
        desk.seen(
                new Totals(at, 0, 1, 0, 0, null, 0, 0),
                List.of(new Task(
                        State.RUNNING,
                        TASK,
                        UUID.randomUUID(),
                        "agent",
                        3,
                        processed,
                        NOON.minusDays(2),
                        NOON.minusDays(1),
                        at)),
                List.of(),
                List.of());
    }

    private String page() {
        return OperatorPage.html(desk.view(false));
    }
}
