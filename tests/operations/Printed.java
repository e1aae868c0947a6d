package tests.operations;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What a command prints, compared with what a page says. An ellipsis stands for anything, and on a line of its own for any
 * lines. Spaces and the rule under a heading do not count, nor does the order of lines: Kafka's tools print partitions as
 * they come.
 */
final class Printed {

    private static final Pattern RULE = Pattern.compile("[-+\\s]+");
    private static final String ANY = "…";

    private Printed() {}

    static boolean matches(String printed, String expected) {
        var left = new ArrayList<>(lines(printed));
        var open = false;
        for (var line : lines(expected)) {
            if (line.equals(ANY)) {
                open = true;
                continue;
            }
            var pattern = pattern(line);
            var found = left.stream().filter(pattern.asMatchPredicate()).findFirst();
            if (found.isEmpty()) {
                return false;
            }
            left.remove(found.get());
        }
        return open || left.isEmpty();
    }

    private static List<String> lines(String text) {
        return text.lines()
                .filter(line -> !line.isBlank() && !RULE.matcher(line).matches())
                .map(line -> line.replaceAll("\\s+", " ")
                        .replace(" |", "|")
                        .replace("| ", "|")
                        .strip())
                .toList();
    }

    private static Pattern pattern(String line) {
        return Pattern.compile(Arrays.stream(line.split(ANY, -1))
                .map(Pattern::quote)
                .reduce((before, after) -> before + ".*" + after)
                .orElseThrow());
    }
}
