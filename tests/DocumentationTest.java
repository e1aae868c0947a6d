package tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import processors.access.AccessCacheObserver;
import processors.consuming.ConsumerObserver;
import processors.identity.FanOutObserver;
import processors.identity.JobObserver;
import processors.identity.RelayObserver;
import processors.news.ReplicaObserver;

@DisplayName("The documents")
class DocumentationTest {

    @Test
    @DisplayName("docs/metrics.md names every metric of ours, and no other")
    void metrics() throws IOException {
        var registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new FanOutObserver(registry);
        new RelayObserver(registry);
        new JobObserver(registry);
        new ConsumerObserver(registry, "author-replica");
        new ReplicaObserver(registry);
        new AccessCacheObserver(registry, "gateway").hearsWatermarks();
        var existing = registry.scrape()
                .lines()
                .filter(line -> line.startsWith("# TYPE "))
                .map(line -> line.split(" ")[2])
                .filter(name -> !name.endsWith("_max")) // of a histogram
                .collect(Collectors.toCollection(TreeSet::new));

        assertThat(names("docs/metrics.md", "`((?:identity|news|consumer|access_cache)_[a-z_]+)"))
                .isEqualTo(existing);
    }

    @Test
    @DisplayName("every setting that a document names exists")
    void settings() throws IOException {
        var existing = names("application.properties", "(?m)^([a-z][a-z0-9.-]+)=");
        for (var document : new String[] {
            "README.md", "docs/access-cache.md", "docs/database.md", "docs/faults.md", "docs/metrics.md"
        }) {
            assertThat(existing)
                    .as(document)
                    .containsAll(names(
                            document,
                            "`((?:identity|news|access-cache|kafka|db|management)\\.[a-z0-9.-]+[a-z0-9])[`=]"));
        }
    }

    @Test
    @DisplayName("every file that a document links to exists")
    void links() throws IOException {
        for (var document : new String[] {
            "README.md",
            "docs/access-cache.md",
            "docs/database.md",
            "docs/faults.md",
            "docs/metrics.md",
            "docs/performance.md",
            "schemas/README.md"
        }) {
            var links = Pattern.compile("]\\(([^)#:]+)\\)")
                    .matcher(Files.readString(Path.of(document)))
                    .results()
                    .map(match -> match.group(1))
                    .toList();
            assertThat(links)
                    .as(document)
                    .allSatisfy(link ->
                            assertThat(Path.of(document).resolveSibling(link)).exists());
        }
    }

    private static Set<String> names(String file, String pattern) throws IOException {
        var names = Pattern.compile(pattern)
                .matcher(Files.readString(Path.of(file)))
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(names).as("names in " + file).isNotEmpty();
        return names;
    }
}
