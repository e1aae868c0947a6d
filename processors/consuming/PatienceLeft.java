package processors.consuming;

import java.time.Duration;
import org.apache.camel.Exchange;
import org.apache.camel.Predicate;

/**
 * Whether a batch may be tried again where it is (design.md, decision 6): for a quarter of max.poll.interval.ms since the
 * variable {@code since}, and never when the application stops. Whoever waits longer loses the partitions in the middle of
 * its work.
 */
public final class PatienceLeft implements Predicate {

    @Override
    public boolean matches(Exchange exchange) {
        long since = exchange.getVariable("since", Long.class);
        long interval = Duration.ofMillis(exchange.getVariable("maxPollInterval", Long.class))
                .toNanos();
        return System.nanoTime() - since < interval / 4
                && !exchange.getContext().isStopping();
    }
}
