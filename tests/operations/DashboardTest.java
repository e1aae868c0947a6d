package tests.operations;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@DisplayName("The dashboard")
@ExtendWith(WholeInstance.Extension.class)
class DashboardTest {

    private static final Path FILE = Path.of("k8s/base/dashboard.json");

    private static JsonNode dashboard;
    private static List<JsonNode> panels;

    @BeforeAll
    static void read() throws IOException {
        dashboard = new ObjectMapper().readTree(FILE.toFile());
        panels = StreamSupport.stream(dashboard.path("panels").spliterator(), false)
                .filter(panel -> !panel.path("type").asText().equals("row"))
                .toList();
        assertThat(panels).hasSizeGreaterThan(20);
    }

    @Test
    @DisplayName("FAN-17 REP-19 EVT-12 every metric and label of every query is one that a running instance shows")
    void everyMetricExists(Scrape scrape) {
        for (var query : queries()) {
            new PromQl(query).assertIsIn(scrape, Set.of());
        }
    }

    @Test
    @DisplayName("FAN-17 Prometheus can read every query")
    void everyQueryParses() throws Exception {
        var rules = new ArrayList<Map<String, String>>();
        for (var query : queries()) {
            rules.add(Map.of(
                    "record",
                    "dashboard:query:" + rules.size(),
                    "expr",
                    query.replace("$__rate_interval", "5m").replace("$__range", "3h")));
        }
        var folder = Files.createDirectories(Path.of("target/promtool"));
        new ObjectMapper(new YAMLFactory())
                .writeValue(
                        folder.resolve("dashboard.yaml").toFile(),
                        Map.of("groups", List.of(Map.of("name", "dashboard", "rules", rules))));

        Promtool.run(folder, "check", "rules", "dashboard.yaml");
    }

    @Test
    @DisplayName(
            "FAN-17 every panel has an id of its own, a unit, an explanation and the data source that the reader chooses")
    void panels() {
        assertThat(StreamSupport.stream(dashboard.path("panels").spliterator(), false)
                        .map(panel -> panel.path("id").asInt()))
                .doesNotHaveDuplicates()
                .doesNotContain(0);
        assertThat(panels).allSatisfy(panel -> {
            assertThat(panel.path("title").asText()).isNotBlank();
            assertThat(panel.path("description").asText()).hasSizeGreaterThan(10);
            assertThat(panel.path("fieldConfig").path("defaults").path("unit").asText())
                    .as(panel.path("title").asText())
                    .isNotBlank();
            assertThat(panel.path("datasource").path("uid").asText()).isEqualTo("${datasource}");
            assertThat(panel.path("targets")).isNotEmpty();
        });
        assertThat(dashboard.path("templating").path("list").findValuesAsText("name"))
                .contains("datasource", "namespace");
    }

    @Test
    @DisplayName("FAN-17 has a row for each question of whoever is on call")
    void rows() {
        assertThat(StreamSupport.stream(dashboard.path("panels").spliterator(), false)
                        .filter(panel -> panel.path("type").asText().equals("row"))
                        .map(panel -> panel.path("title").asText()))
                .containsExactly(
                        "Queue",
                        "Progress of running tasks",
                        "Promise: 99 % of tasks finished within 300 s",
                        "Lanes and outbox",
                        "Consumer delay",
                        "Consumer lag",
                        "Dead letters",
                        "Instances");
    }

    @Test
    @DisplayName("EVT-11 shows no assignment and no user: it asks Prometheus only, and Prometheus knows none")
    void noAssignments(Scrape scrape) throws IOException {
        assertThat(dashboard.findValuesAsText("type").stream().collect(Collectors.toSet()))
                .isSubsetOf("row", "timeseries", "stat", "prometheus", "datasource", "query");
        assertThat(Files.readString(FILE))
                .doesNotContainIgnoringCase("assignment")
                .doesNotContain("user_id");
        assertThat(scrape.series())
                .allSatisfy(series -> assertThat(series.labels().values())
                        .as(series.name())
                        .noneMatch(value -> value.matches(".*[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-.*")));
    }

    private static List<String> queries() {
        var queries = panels.stream()
                .flatMap(panel -> StreamSupport.stream(panel.path("targets").spliterator(), false))
                .map(target -> target.path("expr").asText())
                .toList();
        assertThat(queries).hasSizeGreaterThan(30).doesNotContain("");
        return queries;
    }
}
