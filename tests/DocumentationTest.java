package tests;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import processors.access.AccessCacheObserver;
import processors.consuming.ConsumerObserver;
import processors.identity.AccessGroupObserver;
import processors.identity.FanOutObserver;
import processors.identity.JobObserver;
import processors.identity.RelayObserver;
import processors.news.ReplicaObserver;

@DisplayName("The documents")
class DocumentationTest {

    private static final Pattern METRICS = Pattern.compile("`((?:identity|news|consumer|access_cache)_[a-z_]+)");
    private static final Pattern SETTINGS = Pattern.compile(
            "`((?:identity|news|access-cache|kafka|db|management|tracing|log|secrets)\\.[a-z0-9.-]+[a-z0-9])[`=]");
    private static final Pattern VARIABLES =
            Pattern.compile("\\b((?:IDENTITY|NEWS|ACCESS_CACHE|KAFKA|MANAGEMENT)_[A-Z0-9_]+)\\b(?==)");
    private static final Pattern COUNTED = Pattern.compile("micrometer:counter:([a-z_]+)");
    private static final Pattern LINKS = Pattern.compile("]\\(([^): ]+)\\)");

    @Test
    @DisplayName("every metric that a document names exists")
    void metricsElsewhere() throws IOException {
        var existing = existingMetrics();
        // Roles of the database are spelled in the same way.
        for (var grants : files("sql", "afterMigrate__grants.sql")) {
            existing.addAll(names(Pattern.compile("^--   ([a-z_]+) ", Pattern.MULTILINE), grants));
        }
        for (var document : documents()) {
            var named = names(METRICS, document);
            // Those that an example counts itself.
            names(COUNTED, document).forEach(counter -> named.remove(counter + "_total"));
            assertThat(existing).as(document.toString()).containsAll(named);
        }
    }

    private static Set<String> existingMetrics() {
        var registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new FanOutObserver(registry);
        new RelayObserver(registry);
        new JobObserver(registry);
        new ConsumerObserver(registry, Map.of("author-replica", "news"));
        new AccessGroupObserver(registry, List.of("gateway"));
        new ReplicaObserver(registry);
        new AccessCacheObserver(registry, "gateway").hearsWatermarks();
        return registry.scrape()
                .lines()
                .filter(line -> line.startsWith("# TYPE "))
                .map(line -> line.split(" ")[2])
                .filter(name -> !name.endsWith("_max")) // of a histogram
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    @DisplayName("every alert and every test that docs/faults.md names exists")
    void alerts() throws IOException {
        var named = names(
                Pattern.compile("\\b((?:Access|Consumer|Instance|News)[A-Z]\\w+)\\b(?<!Test)"),
                Path.of("docs/faults.md"));
        assertThat(named).isNotEmpty();
        assertThat(names(Pattern.compile("(?m)alert: (\\w+)"), Path.of("k8s/base/prometheus-rule.yaml")))
                .containsAll(named);
        var tests = files("tests", "Test.java").stream()
                .map(file -> file.getFileName().toString().replace(".java", ""))
                .toList();
        assertThat(tests).containsAll(names(Pattern.compile("\\b([A-Z]\\w+Test)\\b"), Path.of("docs/faults.md")));
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
        var documented = names(Pattern.compile("(?m)^\\| `([^`]+)` \\|"), Path.of("docs/logs.md"));

        assertThat(documented).containsAll(existing);
        assertThat(literals).containsAll(documented);
    }

    @Test
    @DisplayName("every setting that a document names exists, also as an environment variable")
    void settings() throws IOException {
        var existing = names(Pattern.compile("(?m)^([a-z][a-z0-9.-]+)="), Path.of("application.properties"));
        var variables = existing.stream()
                .map(name -> name.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_'))
                .toList();
        var tables = new TreeSet<String>();
        for (var migration : files("sql/migrations", ".sql")) {
            tables.addAll(names(Pattern.compile("create table (?:if not exists )?([a-z_.]+)"), migration));
        }
        for (var document : documents()) {
            var named = names(SETTINGS, document);
            named.removeAll(tables);
            assertThat(existing).as(document.toString()).containsAll(named);
            assertThat(variables).as(document.toString()).containsAll(names(VARIABLES, document));
        }
    }

    @Test
    @DisplayName("every file that a document links to exists, and every heading")
    void links() throws IOException {
        for (var document : documents()) {
            assertThat(names(LINKS, document)).as(document.toString()).allSatisfy(link -> {
                var parts = link.split("#", 2);
                var target = parts[0].isEmpty() ? document : document.resolveSibling(parts[0]);
                assertThat(target).exists();
                if (parts.length == 2) {
                    assertThat(headings(target)).contains(parts[1]);
                }
            });
        }
    }

    @Test
    @DisplayName("every path of the management port, and every file in a command, exists")
    void paths() throws IOException {
        for (var document : documents()) {
            assertThat(Set.of("/observe/health/live", "/observe/health/ready", "/observe/metrics", "/observe/operator"))
                    .as(document.toString())
                    .containsAll(names(Pattern.compile("(/observe/[a-z/]*[a-z])"), document));
            assertThat(names(
                            Pattern.compile("\\b((?:sql|processors|routes)/[A-Za-z0-9_/-]+\\.(?:sql|java))"), document))
                    .as(document.toString())
                    .allSatisfy(file -> assertThat(Path.of(file)).exists());
        }
    }

    /** The headings of a document as links name them. */
    private static Set<String> headings(Path document) {
        return names(Pattern.compile("(?m)^#+ (.+)$"), document).stream()
                .map(heading -> heading.toLowerCase(Locale.ROOT)
                        .replaceAll("[^a-z0-9 _-]", "")
                        .replace(' ', '-'))
                .collect(Collectors.toSet());
    }

    private static List<Path> documents() throws IOException {
        var documents = new ArrayList<>(List.of(Path.of("README.md"), Path.of("schemas/README.md")));
        documents.addAll(files("docs", ".md"));
        return documents;
    }

    private static List<Path> files(String folder, String ending) throws IOException {
        try (var files = Files.walk(Path.of(folder))) {
            return files.filter(file -> file.toString().endsWith(ending))
                    .sorted()
                    .toList();
        }
    }

    private static Set<String> matches(String text, String pattern) {
        return Pattern.compile(pattern)
                .matcher(text)
                .results()
                .map(match -> match.group(1))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static Set<String> names(Pattern pattern, Path file) {
        try {
            return pattern.matcher(Files.readString(file))
                    .results()
                    .map(match -> match.group(1))
                    .collect(Collectors.toCollection(TreeSet::new));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
