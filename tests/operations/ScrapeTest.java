package tests.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@DisplayName("What Prometheus reads")
@ExtendWith(WholeInstance.Extension.class)
class ScrapeTest {

    /** Labels that Prometheus sets itself: of a target, or of a rule. One of ours would be renamed. */
    private static final List<String> OF_PROMETHEUS =
            List.of("job", "instance", "namespace", "pod", "container", "endpoint", "service", "alertname", "severity");

    @Test
    @DisplayName("FAN-17 REP-19 docs/metrics.md names every metric of a running instance, and no other")
    void documented(Scrape scrape) throws Exception {
        var documented = Pattern.compile("`((?:identity|news|consumer|access_cache|instance)_[a-z_]+)")
                .matcher(Files.readString(Path.of("docs/metrics.md")))
                .results()
                .map(name -> name.group(1))
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(documented).isEqualTo(new TreeSet<>(scrape.ourMetrics()));
    }

    @Test
    @DisplayName("FAN-17 REP-19 every metric of ours says what it is, and no label of ours is one that Prometheus sets")
    void helpful(Scrape scrape) {
        assertThat(scrape.ourMetrics())
                .hasSizeGreaterThan(40)
                .allSatisfy(metric ->
                        assertThat(scrape.help().get(metric)).as(metric).hasSizeGreaterThan(15));
        assertThat(scrape.series())
                .allSatisfy(series -> assertThat(series.labels().keySet())
                        .as(series.name())
                        .doesNotContainAnyElementsOf(OF_PROMETHEUS));
    }

    @Test
    @DisplayName("FAN-20 EVT-12 REP-21 each promise is a bound of its histogram, with one below and one above it")
    void buckets(Scrape scrape) {
        Map.of(
                        "identity_access_fanout_task_lag_seconds", List.of(300.0),
                        "access_cache_delay_seconds", List.of(30.0, 60.0),
                        "news_replica_lag_seconds", List.of(60.0))
                .forEach((histogram, promises) -> {
                    var bounds = scrape.series(histogram + "_bucket").stream()
                            .map(bucket -> bucket.labels().get("le"))
                            .filter(bound -> !bound.equals("+Inf"))
                            .map(Double::valueOf)
                            .sorted()
                            .toList();
                    assertThat(bounds).as(histogram).containsAll(promises);
                    assertThat(bounds.get(0)).isLessThan(promises.get(0));
                    assertThat(bounds.get(bounds.size() - 1)).isGreaterThan(promises.get(promises.size() - 1));
                });
    }
}
