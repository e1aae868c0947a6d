package tests.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import tests.operations.Runbook.Command;

/**
 * A runbook in the hands of an operator. Commands that look are run until they print what the page says; commands that
 * repair are run once. At the end every command of the page must have been run.
 */
final class OpenRunbook implements AutoCloseable {

    private static final Pattern PLACEHOLDER = Pattern.compile("\\b([A-Z]+_ID|PID)\\b");

    private final Runbook runbook;
    private final Shell shell;
    private final JdbcTemplate operator;
    private final Map<String, String> values = new LinkedHashMap<>();
    private final Set<Command> run = new HashSet<>();

    OpenRunbook(Runbook runbook, Shell shell, JdbcTemplate operator) {
        this.runbook = runbook;
        this.shell = shell;
        this.operator = operator;
    }

    /** What an operator writes in the place of a word of the page. */
    OpenRunbook with(String word, Object value) {
        values.put(word, value.toString());
        return this;
    }

    void look() {
        all(Runbook.LOOK);
    }

    /** @param number of a command among those that look, from 1 on */
    void look(int number) {
        untilPrinted(runbook.commands(Runbook.LOOK).get(number - 1));
    }

    /** All commands that repair, one after the other. */
    void repair() {
        runbook.commands(Runbook.REPAIR).forEach(command -> once(command, 0));
    }

    /** @param number of a command among those that repair, from 1 on */
    void repair(int number) {
        once(runbook.commands(Runbook.REPAIR).get(number - 1), 0);
    }

    /** The same for a command of which the page says that its exit code is 1. */
    void repairInPart(int number) {
        once(runbook.commands(Runbook.REPAIR).get(number - 1), 1);
    }

    void seeThatItWorked() {
        all(Runbook.WORKED);
    }

    void whenItDoesNotHelp() {
        all(Runbook.NO_HELP);
    }

    private void all(String section) {
        assertThat(runbook.commands(section)).as(section).isNotEmpty();
        runbook.commands(section).forEach(this::untilPrinted);
    }

    private void untilPrinted(Command command) {
        await(runbook.name() + ": " + command.text())
                .pollInSameThread()
                .pollInterval(Duration.ofMillis(50))
                .untilAsserted(() -> requirePrinted(command, execute(command)));
        run.add(command);
    }

    private void once(Command command, int exitCode) {
        var result = execute(command);
        requirePrinted(command, result);
        assertThat(result.exitCode()).as(result.output()).isEqualTo(exitCode);
        run.add(command);
    }

    private void requirePrinted(Command command, Shell.Result result) {
        if (command.printed() != null) {
            var expected = filledIn(command.printed());
            assertThat(Printed.matches(result.output(), expected))
                    .as(
                            "%s: %s%nprints%n%s%nand the page says%n%s",
                            runbook.name(), command.text(), result.output(), expected)
                    .isTrue();
        } else if (command.text().startsWith("kubectl logs") && command.text().contains("| grep")) {
            assertThat(result.output()).as("%s finds nothing", command.text()).isNotEmpty();
        }
    }

    private Shell.Result execute(Command command) {
        var text = filledIn(command.text());
        assertThat(PLACEHOLDER.matcher(text).results().map(match -> match.group()))
                .as("placeholders that the test gives no value for")
                .isEmpty();
        return switch (command.language()) {
            case "sql" -> new Shell.Result(0, query(text));
            case "sh" -> shell.run(text.replace("\\\n", " "));
            default -> throw new AssertionError(runbook.name() + ": a block of " + command.language());
        };
    }

    private String filledIn(String text) {
        var filled = text;
        for (var value : values.entrySet()) {
            filled = filled.replace(value.getKey(), value.getValue());
        }
        return filled;
    }

    /** As psql prints it. */
    private String query(String sql) {
        return operator.execute((ConnectionCallback<String>) connection -> {
            try (var statement = connection.createStatement()) {
                if (statement.execute(sql)) {
                    return table(statement.getResultSet());
                }
                var word = sql.substring(0, sql.indexOf(' ')).toUpperCase(Locale.ROOT);
                return word + (word.equals("INSERT") ? " 0 " : " ") + statement.getUpdateCount();
            }
        });
    }

    private static String table(ResultSet rows) throws SQLException {
        int columns = rows.getMetaData().getColumnCount();
        var lines = new ArrayList<String>();
        var heading = new ArrayList<String>();
        for (int i = 1; i <= columns; i++) {
            heading.add(rows.getMetaData().getColumnLabel(i));
        }
        lines.add(String.join(" | ", heading));
        while (rows.next()) {
            List<String> row = new ArrayList<>();
            for (int i = 1; i <= columns; i++) {
                row.add(rows.getString(i) == null ? "" : rows.getString(i));
            }
            lines.add(String.join(" | ", row));
        }
        int count = lines.size() - 1;
        lines.add("(" + count + (count == 1 ? " row)" : " rows)"));
        return String.join("\n", lines);
    }

    @Override
    public void close() {
        assertThat(runbook.commands())
                .as("commands of %s that nobody has run", runbook.name())
                .allMatch(run::contains);
    }
}
