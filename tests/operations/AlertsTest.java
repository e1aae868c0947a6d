package tests.operations;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@DisplayName("Alerts")
@ExtendWith(WholeInstance.Extension.class)
class AlertsTest {

    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());
    private static final Path UNIT_TESTS = Path.of("tests/operations");
    private static final String[] FILES = {"alerts.yaml", "alerts-over-hours.yaml"};
    private static final Path FOLDER = Path.of("target/promtool");

    /** Every alert, and its runbook in docs/runbooks. */
    private static final Map<String, String> RUNBOOKS = new TreeMap<>(Map.ofEntries(
            Map.entry("AccessFanOutBacklog", "fan-out-backlog"),
            Map.entry("AccessFanOutErrors", "fan-out-errors"),
            Map.entry("AccessFanOutTaskFailed", "fan-out-task-failed"),
            Map.entry("AccessFanOutStandsStill", "fan-out-stands-still"),
            Map.entry("AccessFanOutSloBurn", "fan-out-slo"),
            Map.entry("AccessEventsUndelivered", "events-undelivered"),
            Map.entry("AccessConsumerBehind", "consumer-behind"),
            Map.entry("AccessOutboxParked", "outbox-parked"),
            Map.entry("AccessRelayLanes", "relay-lanes"),
            Map.entry("AccessAnnouncementsLate", "announcements-late"),
            Map.entry("AccessJobFailures", "job-failures"),
            Map.entry("AccessUnknownScopeType", "unknown-scope-type"),
            Map.entry("AccessCacheLate", "access-cache-late"),
            Map.entry("AccessCacheDeadLetters", "access-cache-dead-letters"),
            Map.entry("AccessCacheInvalidations", "access-cache-invalidations"),
            Map.entry("ConsumerMissedRecords", "consumer-missed-records"),
            Map.entry("ConsumerWaits", "consumer-waits"),
            Map.entry("NewsReplicaLate", "news-replica-late"),
            Map.entry("NewsReplicaDeadLetters", "news-replica-dead-letters"),
            Map.entry("NewsReplicaUnknownEnum", "news-replica-unknown-enum"),
            Map.entry("InstanceNotReady", "instance-not-ready")));

    private static JsonNode groups;

    /** An alert by its name and those of its labels that the rule sets: one alert may have several rules. */
    private record Alert(String name, Map<String, String> labels) {}

    @BeforeAll
    static void extract() throws IOException {
        groups = YAML.readTree(Path.of("k8s/base/prometheus-rule.yaml").toFile())
                .path("spec")
                .path("groups");
        assertThat(groups).isNotEmpty();
        Files.createDirectories(FOLDER);
        YAML.writeValue(FOLDER.resolve("rules.yaml").toFile(), Map.of("groups", groups));
        for (var file : FILES) {
            Files.copy(UNIT_TESTS.resolve(file), FOLDER.resolve(file), StandardCopyOption.REPLACE_EXISTING);
        }
    }

    @Test
    @DisplayName(
            "FAN-19 FAN-20 REP-21 EVT-12 each alert fires with its fault and not before, and a normal fan-out of 50,000 users fires none")
    void unitTests() throws Exception {
        Promtool.run(FOLDER, "check", "rules", "rules.yaml");
        for (var file : FILES) {
            Promtool.run(FOLDER, "test", "rules", file);
        }
    }

    @Test
    @DisplayName(
            "FAN-19 every rule of every alert has a unit test in which it fires, and every alert one in which it is silent")
    void everyAlertIsTested() throws IOException {
        var fires = new HashSet<Alert>();
        var silent = new HashSet<String>();
        for (var check : checks()) {
            var name = check.path("alertname").asText();
            if (check.path("exp_alerts").isEmpty()) {
                silent.add(name);
            }
            for (var expected : check.path("exp_alerts")) {
                rules("alert")
                        .filter(rule -> alert(rule).name().equals(name))
                        .filter(rule -> labels(expected.path("exp_labels"))
                                .entrySet()
                                .containsAll(alert(rule).labels().entrySet()))
                        .forEach(rule -> fires.add(alert(rule)));
            }
        }
        assertThat(fires)
                .containsExactlyInAnyOrderElementsOf(
                        rules("alert").map(AlertsTest::alert).toList());
        assertThat(silent).isEqualTo(RUNBOOKS.keySet());
    }

    @Test
    @DisplayName(
            "FAN-22 REP-21 every alert says how urgent it is, what is wrong with its figures, and where its runbook is")
    void everyAlertIsExplained() {
        assertThat(rules("alert").map(rule -> rule.path("alert").asText()).collect(Collectors.toSet()))
                .isEqualTo(RUNBOOKS.keySet());
        assertThat(rules("alert")).allSatisfy(rule -> {
            var annotations = rule.path("annotations");
            assertThat(rule.path("labels").path("severity").asText()).isIn("page", "ticket");
            assertThat(annotations.path("summary").asText()).hasSizeBetween(20, 80);
            assertThat(annotations.path("description").asText()).hasSizeGreaterThan(60);
            if (!rule.path("labels").has("measured")) {
                assertThat(annotations.path("description").asText()).containsPattern("\\{\\{ \\$(value|labels)");
            }
            assertThat(annotations.path("runbook_url").asText())
                    .startsWith("https://")
                    .endsWith(
                            "/docs/runbooks/" + RUNBOOKS.get(rule.path("alert").asText()) + ".md");
        });
        assertThat(RUNBOOKS.values())
                .allSatisfy(runbook ->
                        assertThat(Path.of("docs/runbooks", runbook + ".md")).exists());
    }

    @Test
    @DisplayName("FAN-19 every metric and label of every rule is one that a running instance shows")
    void everyMetricExists(Scrape scrape) {
        var recorded = rules("record").map(rule -> rule.path("record").asText()).collect(Collectors.toSet());
        for (var rule : rules().toList()) {
            new PromQl(rule.path("expr").asText()).assertIsIn(scrape, recorded);
        }
    }

    @Test
    @DisplayName("FAN-19 has the numbers of the document")
    void numbers() {
        assertThat(numbers("AccessFanOutBacklog"))
                .containsExactly("max by (namespace) (identity_access_fanout_queue_backlog) > 100 for 5m");
        assertThat(numbers("AccessEventsUndelivered"))
                .containsExactly("max by (namespace) (identity_outbox_backlog) > 1000 for 1m");
        assertThat(numbers("AccessConsumerBehind"))
                .containsExactly("max by (namespace, group) (identity_access_consumer_lag) > 1000 for 1m");
        assertThat(numbers("AccessFanOutTaskFailed"))
                .containsExactly("max by (namespace) (identity_access_fanout_failed_tasks) > 0 for 0m");
        assertThat(numbers("AccessFanOutStandsStill"))
                .singleElement()
                .asString()
                .contains("[5m])) > 300 or absent");
    }

    private static List<JsonNode> checks() throws IOException {
        var checks = new ArrayList<JsonNode>();
        for (var file : FILES) {
            for (var test : YAML.readTree(UNIT_TESTS.resolve(file).toFile()).path("tests")) {
                test.path("alert_rule_test").forEach(checks::add);
            }
        }
        return checks;
    }

    private static List<String> numbers(String alert) {
        return rules("alert")
                .filter(rule -> rule.path("alert").asText().equals(alert))
                .filter(rule -> labels(rule.path("labels")).keySet().equals(Set.of("severity")))
                .map(rule ->
                        rule.path("expr").asText() + " for " + rule.path("for").asText("0m"))
                .toList();
    }

    private static Alert alert(JsonNode rule) {
        return new Alert(rule.path("alert").asText(), labels(rule.path("labels")));
    }

    private static Map<String, String> labels(JsonNode node) {
        var labels = new TreeMap<String, String>();
        node.fields()
                .forEachRemaining(
                        label -> labels.put(label.getKey(), label.getValue().asText()));
        return labels;
    }

    private static Stream<JsonNode> rules() {
        return StreamSupport.stream(groups.spliterator(), false)
                .flatMap(group -> StreamSupport.stream(group.path("rules").spliterator(), false));
    }

    /** @param kind {@code alert} or {@code record} */
    private static Stream<JsonNode> rules(String kind) {
        return rules().filter(rule -> rule.has(kind));
    }
}
