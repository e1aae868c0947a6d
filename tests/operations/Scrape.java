package tests.operations;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** What Prometheus reads from an instance: the text of {@code /observe/metrics}. */
record Scrape(String text) {

    private static final Pattern SERIES = Pattern.compile("(?m)^([a-zA-Z_:][a-zA-Z0-9_:]*)(?:\\{(.*)})? (\\S+)$");
    private static final Pattern LABEL = Pattern.compile("([a-zA-Z_][a-zA-Z0-9_]*)=\"((?:[^\"\\\\]|\\\\.)*)\"");
    private static final Pattern HELP = Pattern.compile("(?m)^# HELP (\\S+) ?(.*)$");
    private static final Pattern TYPE = Pattern.compile("(?m)^# TYPE (\\S+) ");
    private static final Pattern OURS = Pattern.compile("(identity|news|consumer|access_cache|instance)_.*");

    record Series(String name, Map<String, String> labels, double value) {}

    List<Series> series() {
        var series = new ArrayList<Series>();
        for (var found = SERIES.matcher(text); found.find(); ) {
            var labels = new TreeMap<String, String>();
            if (found.group(2) != null) {
                LABEL.matcher(found.group(2)).results().forEach(label -> labels.put(label.group(1), label.group(2)));
            }
            series.add(new Series(found.group(1), labels, number(found.group(3))));
        }
        return series;
    }

    private static double number(String text) {
        return switch (text) {
            case "+Inf" -> Double.POSITIVE_INFINITY;
            case "-Inf" -> Double.NEGATIVE_INFINITY;
            default -> Double.parseDouble(text);
        };
    }

    List<Series> series(String name) {
        return series().stream().filter(one -> one.name().equals(name)).toList();
    }

    /** The metrics that are not Camel's, the JVM's or a library's, each once, without what a histogram adds of its own. */
    List<String> ourMetrics() {
        return TYPE.matcher(text)
                .results()
                .map(type -> type.group(1))
                .filter(name -> OURS.matcher(name).matches())
                .filter(name -> !name.endsWith("_max"))
                .sorted()
                .toList();
    }

    /** Help texts by metric. */
    Map<String, String> help() {
        var help = new HashMap<String, String>();
        HELP.matcher(text).results().forEach(found -> help.put(found.group(1), found.group(2)));
        return help;
    }
}
