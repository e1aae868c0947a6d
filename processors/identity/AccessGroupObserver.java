package processors.identity;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.camel.Body;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangeProperty;
import org.apache.camel.Variable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import processors.failures.Failures;
import processors.failures.Measured;
import processors.failures.QuietLog;

/** How far the groups that read the access events are behind (FAN-19, EVT-12), as identity sees it. */
public final class AccessGroupObserver {

    private static final Logger LOG = LoggerFactory.getLogger("access.fanout");

    private final Map<String, Measured<Long>> groups = new HashMap<>();
    private final QuietLog said = new QuietLog();

    /** @param groups the values of the label {@code group} */
    public AccessGroupObserver(MeterRegistry registry, List<String> groups) {
        for (var group : groups) {
            var behind = new Measured<Long>();
            this.groups.put(group, behind);
            Gauge.builder("identity_access_consumer_lag", behind, b -> b.show(Long::doubleValue))
                    .description("Records of the access topic that a group has not handled yet")
                    .tag("group", group)
                    .register(registry);
        }
    }

    public void measured(@Variable("group") String group, @Body long lag) {
        groups.get(group).is(lag);
    }

    /** Kafka is away, or does not let us ask: what was measured before says nothing any more. */
    public void notMeasured(
            @Variable("group") String group, @ExchangeProperty(Exchange.EXCEPTION_CAUGHT) Throwable failure) {
        groups.get(group).isUnknown();
        if (said.maySay()) {
            LOG.atWarn()
                    .addKeyValue("group", group)
                    .addKeyValue("exception", Failures.describe(failure))
                    .log("how far a group is behind is not known");
        }
    }
}
