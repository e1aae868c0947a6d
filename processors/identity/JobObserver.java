package processors.identity;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangeProperty;
import org.apache.camel.Variable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import processors.failures.Failures;
import processors.failures.QuietLog;

/** Metrics and logs of the jobs that work in the background: announcements, expiry, and the archiving of roles. */
public final class JobObserver {

    private static final Logger LOG = LoggerFactory.getLogger("access.jobs");

    private final Map<AccessJob, Counter> failures = new EnumMap<>(AccessJob.class);
    private final AtomicLong backlog = new AtomicLong();
    private final AtomicReference<Double> oldestAge = new AtomicReference<>(0.0);
    private final QuietLog said = new QuietLog();

    public JobObserver(MeterRegistry registry) {
        for (var job : AccessJob.values()) {
            failures.put(
                    job,
                    Counter.builder("identity_access_job_failures")
                            .description("Pages of a job that failed and are tried again")
                            .tag("job", job.label())
                            .register(registry));
        }
        Gauge.builder("identity_access_announcements_backlog", backlog, AtomicLong::get)
                .description("Announced users whose event is not in the outbox yet; counted up to 100,000")
                .register(registry);
        Gauge.builder("identity_access_announcements_oldest_age_seconds", oldestAge, AtomicReference::get)
                .description("Age of the oldest announcement that is not in the outbox yet")
                .register(registry);
    }

    /** A page was rolled back; it is tried again. */
    public void failed(@Variable("job") AccessJob job, @ExchangeProperty(Exchange.EXCEPTION_CAUGHT) Throwable failure) {
        failures.get(job).increment();
        if (said.maySay()) {
            LOG.atWarn()
                    .addKeyValue("job", job.label())
                    .addKeyValue("exception", Failures.describe(failure))
                    .log("page failed, it is tried again");
        }
    }

    public void announcementsMeasured(AnnouncementMeasure measure) {
        backlog.set(measure.backlog());
        oldestAge.set(measure.oldestAgeSeconds());
    }

    /** What there is to do cannot be asked; polling goes on. */
    public void pollFailed(@ExchangeProperty(Exchange.EXCEPTION_CAUGHT) Throwable failure) {
        if (said.maySay()) {
            LOG.atWarn().addKeyValue("exception", Failures.describe(failure)).log("jobs cannot look for work");
        }
    }

    public void measureFailed(@ExchangeProperty(Exchange.EXCEPTION_CAUGHT) Throwable failure) {
        if (said.maySay()) {
            LOG.atWarn().addKeyValue("exception", Failures.describe(failure)).log("announcements cannot be measured");
        }
    }

    /** What measure.sql counts. */
    public record AnnouncementMeasure(long backlog, double oldestAgeSeconds) {}
}
