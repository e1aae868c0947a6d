package processors.identity;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.EnumMap;
import java.util.Map;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangeProperty;
import org.apache.camel.Variable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import processors.failures.Failures;
import processors.failures.Measured;
import processors.failures.QuietLog;

/** Metrics and logs of the jobs that work in the background: announcements, expiry, and the archiving of roles. */
public final class JobObserver {

    private static final Logger LOG = LoggerFactory.getLogger("access.jobs");

    private final Map<AccessJob, Counter> failures = new EnumMap<>(AccessJob.class);
    private final Measured<AnnouncementMeasure> announcements = new Measured<>();
    private final QuietLog said = new QuietLog();

    public JobObserver(MeterRegistry registry) {
        for (var job : AccessJob.values()) {
            failures.put(
                    job,
                    Counter.builder("identity_access_job_failures")
                            .description("Pages of a job that failed and are tried again")
                            .tag("name", job.label())
                            .register(registry));
        }
        Gauge.builder("identity_access_announcements_backlog", announcements, a -> a.show(AnnouncementMeasure::backlog))
                .description("Announced users whose event is not in the outbox yet; counted up to 100,000")
                .register(registry);
        Gauge.builder(
                        "identity_access_announcements_oldest_age_seconds",
                        announcements,
                        a -> a.show(AnnouncementMeasure::oldestAgeSeconds))
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
        announcements.is(measure);
    }

    /** What there is to do cannot be asked; polling goes on. */
    public void pollFailed(@ExchangeProperty(Exchange.EXCEPTION_CAUGHT) Throwable failure) {
        if (said.maySay()) {
            LOG.atWarn().addKeyValue("exception", Failures.describe(failure)).log("jobs cannot look for work");
        }
    }

    /** The announcements could not be read: what was measured before says nothing any more. */
    public void notMeasured(@ExchangeProperty(Exchange.EXCEPTION_CAUGHT) Throwable failure) {
        announcements.isUnknown();
        if (said.maySay()) {
            LOG.atWarn().addKeyValue("exception", Failures.describe(failure)).log("announcements cannot be measured");
        }
    }

    /** What measure.sql counts. */
    public record AnnouncementMeasure(long backlog, double oldestAgeSeconds) {}
}
