package processors.consuming;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.camel.Body;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangeProperty;
import org.apache.camel.Variable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;
import processors.failures.Failures;
import processors.failures.Measured;
import processors.failures.QuietLog;

/** Logs and metrics of waiting: how far consumers are behind, and what they do while the database, or Kafka, is away. */
public final class ConsumerObserver {

    private static final Logger LOG = LoggerFactory.getLogger("access.consumer");

    private final MeterRegistry registry;
    private final QuietLog unmeasured = new QuietLog();
    private final Map<String, QuietLog> quiet = new ConcurrentHashMap<>();
    private final Map<String, Boolean> waiting = new ConcurrentHashMap<>();
    private final Map<String, Measured<Measure>> measured = new HashMap<>();

    /** How many records a consumer's group has not handled, and how old the first of them is. */
    private record Measure(long records, double oldestAgeSeconds) {}

    /** @param groups of the consumers of this instance, by their names */
    public ConsumerObserver(MeterRegistry registry, Map<String, String> groups) {
        this.registry = registry;
        groups.forEach((consumer, group) -> {
            retries(consumer);
            missed(consumer);
            var behind = new Measured<Measure>();
            measured.put(consumer, behind);
            Gauge.builder("consumer_lag", behind, b -> b.show(Measure::records))
                    .description("Records that this consumer's group has not handled yet")
                    .tag("consumer", consumer)
                    .register(registry);
            Gauge.builder("consumer_oldest_age_seconds", behind, b -> b.show(Measure::oldestAgeSeconds))
                    .description(
                            "Seconds since the first record was sent that this consumer's group has not handled; 0: there is none")
                    .tag("consumer", consumer)
                    .tag("group", group)
                    .register(registry);
        });
    }

    public void measured(@Variable("consumer") String consumer, @Body Reach reach) {
        var oldest = reach.oldest();
        var now = Clock.systemUTC().instant();
        double age =
                oldest == null ? 0 : Math.max(0, Duration.between(oldest, now).toMillis() / 1e3);
        measured.get(consumer).is(new Measure(reach.behind(), age));
    }

    /** Kafka does not say how far the group is: what was measured before says nothing any more. */
    public void notMeasured(
            @Variable("consumer") String consumer, @ExchangeProperty(Exchange.EXCEPTION_CAUGHT) Throwable failure) {
        measured.get(consumer).isUnknown();
        if (unmeasured.maySay()) {
            about(LOG.atWarn(), consumer, failure).log("how far a consumer is behind is not known");
        }
    }

    /** A batch is not acknowledged, and is read again: the database or Kafka was away for too long. */
    public void failed(
            @Variable("consumer") String consumer, @ExchangeProperty(Exchange.EXCEPTION_CAUGHT) Throwable failure) {
        waiting(consumer, failure);
    }

    /** A batch could not be stored, or its dead letters could not be sent, and it is tried again. */
    public void waiting(
            @Variable("consumer") String consumer, @ExchangeProperty(Exchange.EXCEPTION_CAUGHT) Throwable failure) {
        retries(consumer).increment();
        waiting.put(consumer, true);
        if (maySay(consumer)) {
            about(LOG.atWarn(), consumer, failure).log("consumer cannot go on, the records wait");
        }
    }

    /** Kafka does not let us read, or commit: said here, and on readiness. */
    public void kafkaFailed(String consumer, Throwable failure) {
        retries(consumer).increment();
        waiting.put(consumer, true);
        if (maySay(consumer)) {
            about(LOG.atWarn(), consumer, failure).log("consumer cannot read, the records wait");
        }
    }

    /** Records were missed, and what follows from it is done. */
    public void missed(@Variable("consumer") String consumer, @Body Object partitions) {
        missed(consumer).increment();
        LOG.atError()
                .addKeyValue("consumer", consumer)
                .addKeyValue("partitions", partitions)
                .log("consumer may have missed records");
    }

    /** A batch is stored, or its dead letters are sent. */
    public void done(@Variable("consumer") String consumer) {
        if (waiting.remove(consumer) != null) {
            LOG.atInfo().addKeyValue("consumer", consumer).log("consumer goes on");
        }
    }

    private Counter missed(String consumer) {
        return Counter.builder("consumer_missed")
                .description("How often the group's position was gone and records may have been missed")
                .tag("consumer", consumer)
                .register(registry);
    }

    private boolean maySay(String consumer) {
        return quiet.computeIfAbsent(consumer, name -> new QuietLog()).maySay();
    }

    private static LoggingEventBuilder about(LoggingEventBuilder line, String consumer, Throwable failure) {
        return line.addKeyValue("consumer", consumer).addKeyValue("exception", Failures.describe(failure));
    }

    private Counter retries(String consumer) {
        return Counter.builder("consumer_retries")
                .description("How often a consumer could not go on, and tried again")
                .tag("consumer", consumer)
                .register(registry);
    }
}
