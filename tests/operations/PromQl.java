package tests.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** What an expression of PromQL asks for: the metrics, and their labels. */
record PromQl(String expression) {

    /** Labels that Prometheus adds, to series or in a query. */
    private static final Set<String> OF_PROMETHEUS = Set.of("namespace", "pod", "instance", "job", "le");
    /** Metrics that Prometheus writes itself. */
    private static final Set<String> METRICS_OF_PROMETHEUS = Set.of("up");
    /** Labels whose values are a deployment's: the name of a service. */
    private static final Set<String> FREE = Set.of("group", "namespace", "pod", "instance", "job");

    private static final Set<String> KEYWORDS = Set.of(
            "and", "or", "unless", "bool", "offset", "by", "on", "without", "ignoring", "group_left", "group_right");
    private static final Pattern LABEL_LIST =
            Pattern.compile("\\b(?:by|on|without|ignoring|group_left|group_right)\\s*\\(([^)]*)\\)");
    private static final Pattern RANGE = Pattern.compile("\\[[^]]*]|\\boffset\\s+\\w+");
    private static final Pattern SELECTOR =
            Pattern.compile("([a-zA-Z_][a-zA-Z0-9_:]*)\\s*(?:\\{([^}]*)})?(?!\\s*\\(|[a-zA-Z0-9_:])");
    private static final Pattern MATCHER = Pattern.compile("([a-zA-Z_]\\w*)\\s*(=~|!~|!=|=)\\s*\"([^\"]*)\"");

    private record Matcher(String label, String operator, String value) {}

    /** The matchers of each metric that it names. */
    private Map<String, List<Matcher>> metrics() {
        var bare = RANGE.matcher(LABEL_LIST.matcher(expression).replaceAll(" ")).replaceAll(" ");
        var metrics = new HashMap<String, List<Matcher>>();
        for (var found = SELECTOR.matcher(bare); found.find(); ) {
            if (!KEYWORDS.contains(found.group(1))) {
                var matchers = MATCHER.matcher(found.group(2) == null ? "" : found.group(2))
                        .results()
                        .map(match -> new Matcher(match.group(1), match.group(2), match.group(3)))
                        .toList();
                metrics.put(found.group(1), matchers);
            }
        }
        return metrics;
    }

    private Set<String> groupedBy() {
        return LABEL_LIST
                .matcher(expression)
                .results()
                .flatMap(list -> Pattern.compile("\\w+").matcher(list.group(1)).results())
                .map(label -> label.group())
                .filter(label -> !OF_PROMETHEUS.contains(label))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /**
     * Fails unless an instance shows every metric of the expression, with the labels that it asks for.
     *
     * @param recorded names that rules make of other metrics
     */
    void assertIsIn(Scrape scrape, Set<String> recorded) {
        var metrics = metrics();
        metrics.keySet().removeAll(recorded);
        metrics.keySet().removeAll(METRICS_OF_PROMETHEUS);
        var labels = new TreeSet<String>();
        metrics.forEach((metric, matchers) -> {
            var series = scrape.series(metric);
            assertThat(series).as("series of " + metric + " in " + expression).isNotEmpty();
            series.forEach(one -> labels.addAll(one.labels().keySet()));
            for (var matcher : matchers) {
                if (OF_PROMETHEUS.contains(matcher.label()) && !matcher.label().equals("le")) {
                    continue;
                }
                assertThat(series)
                        .as(metric + " with the label " + matcher.label() + " in " + expression)
                        .allMatch(one -> one.labels().containsKey(matcher.label()));
                if (!FREE.contains(matcher.label()) && !matcher.value().contains("$")) {
                    assertThat(series)
                            .as(metric + " with " + matcher.label() + " " + matcher.value() + " in " + expression)
                            .anyMatch(one -> matcher.operator().endsWith("~")
                                    ? one.labels().get(matcher.label()).matches(matcher.value())
                                    : one.labels().get(matcher.label()).equals(matcher.value()));
                }
            }
        });
        if (!metrics.isEmpty()) {
            assertThat(labels).as("labels of " + expression).containsAll(groupedBy());
        }
    }
}
