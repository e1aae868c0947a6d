package tests.support;

import app.AccessApplication;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;

/** What a scrape of an instance shows. */
public record Metrics(String scrape) {

    public static Metrics of(AccessApplication application) {
        return new Metrics(application
                .camel()
                .getRegistry()
                .findSingleByType(PrometheusMeterRegistry.class)
                .scrape());
    }

    /** @param series the name, with its labels if it has any, as the scrape spells it */
    public double value(String series) {
        return scrape.lines()
                .filter(line -> line.startsWith(series + " "))
                .mapToDouble(line -> Double.parseDouble(line.substring(series.length() + 1)))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no series " + series + " in\n" + scrape));
    }
}
