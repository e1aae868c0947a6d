package tests.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The pages of the runbooks")
class RunbookPagesTest {

    private static final Path INDEX = Runbook.FOLDER.resolve("README.md");
    private static final Path ALERTS = Path.of("k8s", "base", "prometheus-rule.yaml");
    /** Other pages lead to it. */
    private static final String WITHOUT_ALERT = "locks";

    @Test
    @DisplayName(
            "FAN-22 each says what it means, how to look, how to repair, how to see that it worked, and when it does not help")
    void sections() {
        for (var name : Runbook.names()) {
            assertThat(Runbook.read(name).sections())
                    .as(name)
                    .containsExactly("What it means", Runbook.LOOK, Runbook.REPAIR, Runbook.WORKED, Runbook.NO_HELP);
        }
    }

    @Test
    @DisplayName("FAN-22 the index names each page, under its alert")
    void index() throws IOException {
        var rows = Pattern.compile("(?m)^\\| ([A-Z][A-Za-z]+) \\| \\[([a-z-]+)]\\(\\2\\.md\\) \\| .+ \\|$")
                .matcher(Files.readString(INDEX))
                .results()
                .toList();
        var indexed = new TreeMap<String, String>();
        rows.forEach(row -> indexed.put(row.group(2), row.group(1)));

        assertThat(indexed).isEqualTo(titles());
    }

    @Test
    @DisplayName("REP-21 alerts and runbooks are one to one")
    void alerts() throws IOException {
        var alerts = new TreeMap<String, String>();
        var rules =
                Pattern.compile("(?s)- alert: (\\w+)\\s(.*?)(?=- alert: |\\z)").matcher(Files.readString(ALERTS));
        while (rules.find()) {
            var url = Pattern.compile("runbook_url: \\S*docs/runbooks/([a-z-]+)\\.md\\b")
                    .matcher(rules.group(2));
            assertThat(url.find()).as("runbook_url of " + rules.group(1)).isTrue();
            alerts.put(url.group(1), rules.group(1));
        }

        assertThat(alerts).isEqualTo(titles());
    }

    @Test
    @DisplayName("FAN-22 every command of every page is run by a test, and those of the index are the cluster's")
    void everyCommandIsRun() throws IOException {
        var test = Files.readString(Path.of("tests", "operations", "RunbooksTest.java"))
                + Files.readString(Path.of("tests", "operations", "OperatedSystem.java"));
        // A test that opens a page fails at its end when a command was not run.
        assertThat(Runbook.names()).allSatisfy(name -> assertThat(test).contains("open(\"" + name + "\")"));
        assertThat(Runbook.read("README").commands())
                .allSatisfy(command -> assertThat(command.text()).startsWith("kubectl "))
                .allSatisfy(command ->
                        new Cluster().check(List.of(command.text().substring(8).split(" "))));
    }

    /** The alert of each page. */
    private static Map<String, String> titles() {
        var titles = new TreeMap<String, String>();
        for (var name : Runbook.names()) {
            if (!name.equals(WITHOUT_ALERT)) {
                titles.put(name, Runbook.read(name).title());
            }
        }
        return titles;
    }
}
