package app;

import java.util.Comparator;
import java.util.List;
import org.apache.camel.CamelContext;
import org.apache.camel.health.HealthCheck;
import org.apache.camel.health.HealthCheckHelper;
import processors.operator.Check;

/** What a readiness probe would be told (OPS-04), for the operator's page. */
final class Readiness {

    private final CamelContext camel;

    Readiness(CamelContext camel) {
        this.camel = camel;
    }

    /** What we ask for ourselves; of Camel's checks, one for each route, those that are down. */
    public List<Check> ask() {
        return HealthCheckHelper.invokeReadiness(camel).stream()
                .filter(result -> result.getCheck().getGroup().equals(HealthChecks.GROUP)
                        || result.getState() != HealthCheck.State.UP)
                .map(result -> new Check(
                        result.getCheck().getId(),
                        result.getState() == HealthCheck.State.UP,
                        result.getMessage().orElse("")))
                .sorted(Comparator.comparing(Check::name))
                .toList();
    }
}
