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
    @DisplayName("FAN-16 REP-18 docs/logs.md explains every message that our code logs, and no other")
    void messages() throws IOException {
        var existing = new TreeSet<String>();
        var literals = new TreeSet<String>();
        for (var folder : new String[] {"app", "processors"}) {
            try (var files = Files.walk(Path.of(folder))) {
                for (var file :
                        files.filter(path -> path.toString().endsWith(".java")).toList()) {
                    var code = Files.readString(file);
                    existing.addAll(matches(code, "\\.log\\(\\s*\"([^\"]+)\"\\)"));
                    existing.addAll(matches(code, "\\bsay\\([^;]*?traces,\\s*\"([^\"]+)\"\\)"));
                    literals.addAll(matches(code, "\"([^\"\\n]+)\""));
                }
            }
        }
        var documented = names("docs/logs.md", "(?m)^\\| `([^`]+)` \\|");

        assertThat(documented).containsAll(existing);
        assertThat(literals).containsAll(documented);
    }

    @Test
    @DisplayName("every setting that a document names exists")
    void settings() throws IOException {
        var existing = names("application.properties", "(?m)^([a-z][a-z0-9.-]+)=");
        for (var document : new String[] {
            "README.md",
            "docs/access-cache.md",
            "docs/database.md",
            "docs/faults.md",
            "docs/logs.md",
            "docs/metrics.md",
            "docs/security.md"
        }) {
            assertThat(existing)
                    .as(document)
                    .containsAll(
                            names(
                                    document,
                                    "`((?:identity|news|access-cache|kafka|db|management|tracing|log|secrets)\\.[a-z0-9.-]+[a-z0-9])[`=]"));
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
            "docs/logs.md",
            "docs/metrics.md",
            "docs/performance.md",
            "docs/security.md",
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

    private static Set<String> matches(String text, String pattern) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> names(String file, String pattern) throws IOException {
        var names = matches(Files.readString(Path.of(file)), pattern);
        assertThat(names).as("names in " + file).isNotEmpty();
        return names;
    }
}
