package tests.support;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.joining;
import static java.util.stream.Collectors.summingLong;

import app.AccessApplication;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.apache.camel.api.management.ManagedCamelContext;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

/**
 * Which steps of the routes the tests walk through, with {@code -Droute.coverage=true}: {@code target/route-coverage.txt}. Camel
 * counts them; here is added up what the instances of all tests have counted.
 */
final class RouteCoverage {

    private static final Path REPORT = Path.of("target/route-coverage.txt");
    /** What this JVM and those beside it have counted. */
    private static final Path COUNTS = Path.of("target/route-coverage");

    private static final Map<Step, Long> TAKEN = new TreeMap<>();

    /**
     * @param place among the steps of the route, in the order of its text
     * @param name of the EIP, with where it leads if it leads anywhere
     */
    private record Step(String route, int place, String name) implements Comparable<Step> {

        @Override
        public int compareTo(Step other) {
            int routes = route.compareTo(other.route);
            return routes != 0 ? routes : Integer.compare(place, other.place);
        }

        String line(long taken) {
            return route + "\t" + place + "\t" + name + "\t" + taken;
        }
    }

    private RouteCoverage() {}

    private static boolean isWanted() {
        return Boolean.getBoolean("route.coverage");
    }

    /** For an instance whose steps are counted, if that is wanted: Camel counts them for JMX only. */
    static void prepare(Properties settings) {
        if (isWanted()) {
            settings.setProperty("camel.main.jmx-enabled", "true");
        }
    }

    /** To be called before an instance is closed; says nothing unless it is wanted. */
    static synchronized void note(AccessApplication application) {
        if (!isWanted()) {
            return;
        }
        try {
            for (var route : elements(routes(application).getElementsByTagName("route"))) {
                var steps = elements(route.getElementsByTagName("*")).stream()
                        .filter(step -> step.hasAttribute("exchangesTotal"))
                        .toList();
                for (int place = 0; place < steps.size(); place++) {
                    var step = steps.get(place);
                    var name = step.getTagName() + " " + step.getAttribute("uri");
                    TAKEN.merge(
                            new Step(route.getAttribute("id"), place, name.strip()),
                            Long.parseLong(step.getAttribute("exchangesTotal")),
                            Long::sum);
                }
            }
            Files.createDirectories(COUNTS);
            Files.write(
                    COUNTS.resolve(System.getProperty("surefire.forkNumber", "1")),
                    TAKEN.entrySet().stream()
                            .map(step -> step.getKey().line(step.getValue()))
                            .toList());
            Files.write(REPORT, report());
        } catch (Exception e) {
            throw new IllegalStateException("route coverage", e);
        }
    }

    private static Element routes(AccessApplication application) throws Exception {
        var managed = application.camel().getCamelContextExtension().getContextPlugin(ManagedCamelContext.class);
        var xml = managed.getManagedCamelContext().dumpRoutesCoverageAsXml();
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new InputSource(new StringReader(xml)))
                .getDocumentElement();
    }

    private static List<Element> elements(NodeList nodes) {
        return IntStream.range(0, nodes.getLength())
                .mapToObj(i -> (Element) nodes.item(i))
                .toList();
    }

    /** A line for each route, and below it the steps that nobody took. */
    private static List<String> report() throws IOException {
        try (var files = Files.list(COUNTS)) {
            var lines = files.flatMap(RouteCoverage::lines)
                    .map(line -> line.split("\t"))
                    .toList();
            var routes = lines.stream()
                    .collect(groupingBy(
                            line -> line[0],
                            TreeMap::new,
                            groupingBy(
                                    line -> new Step(line[0], Integer.parseInt(line[1]), line[2]),
                                    TreeMap::new,
                                    summingLong(line -> Long.parseLong(line[3])))));
            return routes.entrySet().stream()
                    .map(route -> report(route.getKey(), route.getValue()))
                    .toList();
        }
    }

    private static String report(String route, Map<Step, Long> steps) {
        long taken = steps.values().stream().filter(count -> count > 0).count();
        var missed = steps.entrySet().stream()
                .filter(step -> step.getValue() == 0)
                .map(step -> "\n        never: " + step.getKey().name())
                .collect(joining());
        return "%3d %%  %s, %d of %d steps%s".formatted(100 * taken / steps.size(), route, taken, steps.size(), missed);
    }

    private static Stream<String> lines(Path file) {
        try {
            return Files.readAllLines(file).stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
