package processors.identity;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.camel.Body;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangeProperty;
import org.apache.camel.Variable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import processors.failures.Failures;
import processors.failures.Measured;
import processors.failures.QuietLog;
import processors.tracing.LogIds;

/** Logs and metrics of the relay. */
public final class RelayObserver {

    private static final Logger LOG = LoggerFactory.getLogger("access.relay");

    private final Counter events;
    private final Counter errors;
    private final Counter parkedRows;
    private final Measured<OutboxMeasure> outbox = new Measured<>();
    private final AtomicLong lanes = new AtomicLong();
    private final QuietLog failures = new QuietLog();
    private final QuietLog watermarkFailures = new QuietLog();

    public RelayObserver(MeterRegistry registry) {
        events = Counter.builder("identity_relay_events")
                .description("Events that Kafka has committed")
                .register(registry);
        errors = Counter.builder("identity_relay_errors")
                .description("Batches that could not be published; they are tried again")
                .register(registry);
        parkedRows = Counter.builder("identity_relay_parked")
                .description("Rows parked because Kafka can never take them")
                .register(registry);
        Gauge.builder("identity_relay_lanes", lanes, AtomicLong::get)
                .description("Lanes that this instance publishes, as of its last heartbeat; 0 after one that failed")
                .register(registry);
        Gauge.builder("identity_outbox_backlog", outbox, o -> o.show(OutboxMeasure::backlog))
                .description("Events not delivered to Kafka yet, parked ones not included (counted up to 100,000)")
                .register(registry);
        Gauge.builder("identity_outbox_oldest_age_seconds", outbox, o -> o.show(OutboxMeasure::oldestAgeSeconds))
                .description("Age of the oldest event not delivered yet")
                .register(registry);
        Gauge.builder("identity_outbox_parked", outbox, o -> o.show(OutboxMeasure::parked))
                .description("Rows that Kafka can never take and that wait for an operator")
                .register(registry);
    }

    public void published(@Variable("batch") RelayBatch batch) {
        events.increment(batch.size());
    }

    public void parked(@Body RefusedRow row) {
        parkedRows.increment();
        LOG.atError()
                .addKeyValue("id", row.id())
                .addKeyValue("reason", row.reason())
                .addKeyValue(LogIds.CORRELATION_ID, row.correlationId())
                .log("outbox row parked");
    }

    public void failed(@ExchangeProperty(Exchange.EXCEPTION_CAUGHT) Throwable failure) {
        errors.increment();
        if (failures.maySay()) {
            LOG.atWarn().addKeyValue("exception", Failures.describe(failure)).log("relay failed, the rows wait");
        }
    }

    /** Without heartbeats the lanes go to others within the lane's lease. */
    public void heartbeatFailed(@ExchangeProperty(Exchange.EXCEPTION_CAUGHT) Throwable failure) {
        lanes.set(0);
        failed(failure);
    }

    public void watermarkFailed(@ExchangeProperty(Exchange.EXCEPTION_CAUGHT) Throwable failure) {
        if (watermarkFailures.maySay()) {
            LOG.atWarn()
                    .addKeyValue("exception", Failures.describe(failure))
                    .log("watermark not published, the next one tells as much");
        }
    }

    public void holding(@Body List<Lane> held) {
        if (lanes.getAndSet(held.size()) != held.size()) {
            LOG.atInfo()
                    .addKeyValue("lanes", held.stream().map(Lane::number).toList())
                    .log("lanes held");
        }
    }

    public void outboxMeasured(OutboxMeasure measure) {
        outbox.is(measure);
    }

    /** The outbox could not be read: what was measured before says nothing any more. */
    public void outboxNotMeasured(@ExchangeProperty(Exchange.EXCEPTION_CAUGHT) Throwable failure) {
        outbox.isUnknown();
        failed(failure);
    }

    /** What measure-outbox.sql counts. */
    public record OutboxMeasure(long backlog, double oldestAgeSeconds, long parked) {}
}
