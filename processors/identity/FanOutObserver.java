package processors.identity;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.camel.Body;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangeProperty;
import org.apache.camel.Variable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;
import processors.failures.Failures;
import processors.failures.Measured;
import processors.failures.QuietLog;
import processors.tracing.LogIds;

/**
 * The logs of FAN-16 and the metrics of FAN-17, in one place. No log line and no label holds personal data, an
 * assignment, or a label value that grows with users, roles or tasks.
 */
public final class FanOutObserver {

    private static final Logger LOG = LoggerFactory.getLogger("access.fanout");

    /** The scope types of the contract (EVT-02). */
    private static final Set<String> KNOWN_SCOPE_TYPES = Set.of("Platform", "Organization", "ProjectGroup", "Project");

    private final Map<FanOutRun, Counter> tasks = new EnumMap<>(FanOutRun.class);
    private final DistributionSummary taskDuration;
    private final DistributionSummary taskLag;
    private final DistributionSummary size;
    private final Counter users;
    private final Counter batches;
    private final Counter errors;
    private final Counter unknownScopeTypes;
    private final Counter waits;
    private final Counter consumerWaits;
    private final Measured<QueueMeasure> queue = new Measured<>();
    /** A process that has just begun does not stand still. */
    private final AtomicLong lastSuccess = new AtomicLong(now());

    private final QuietLog runFailures = new QuietLog();
    private final QuietLog relayWaits = new QuietLog();

    public FanOutObserver(MeterRegistry registry) {
        for (var result : FanOutRun.values()) {
            if (result != FanOutRun.WORKING) {
                tasks.put(
                        result,
                        Counter.builder("identity_access_fanout_tasks")
                                .description("Tasks that left a worker's hands, by result")
                                .tag("result", result.label())
                                .register(registry));
            }
        }
        taskDuration = DistributionSummary.builder("identity_access_fanout_task_duration_ms")
                .description("Milliseconds from the lease of a task to its completion, in one worker's hands")
                .serviceLevelObjectives(10, 50, 100, 500, 1_000, 5_000, 15_000, 60_000, 120_000, 300_000, 900_000)
                .register(registry);
        taskLag = DistributionSummary.builder("identity_access_fanout_task_lag_seconds")
                .description("Seconds from the queueing of a task to its completion (FAN-20: p99 at most 300)")
                .serviceLevelObjectives(0.1, 0.5, 1, 5, 15, 30, 60, 120, 180, 240, 300, 600, 1_800)
                .register(registry);
        size = DistributionSummary.builder("identity_access_fanout_size")
                .description("Users per change of a role, inline changes included")
                .serviceLevelObjectives(1, 10, 100, 500, 1_000, 5_000, 10_000, 50_000, 100_000, 1_000_000)
                .register(registry);
        users = Counter.builder("identity_access_fanout_users")
                .description("Users whose event was committed to the outbox by a fan-out")
                .register(registry);
        batches = Counter.builder("identity_access_fanout_batches")
                .description("Pages of users that were committed")
                .register(registry);
        errors = Counter.builder("identity_access_fanout_errors")
                .description("Failures of a fan-out, retried ones included")
                .register(registry);
        consumerWaits = Counter.builder("identity_access_fanout_consumer_waits")
                .description("Times a worker waited because a consumer was far behind")
                .register(registry);
        waits = Counter.builder("identity_access_fanout_relay_waits")
                .description("Times that a worker waited because the outbox was full")
                .register(registry);
        unknownScopeTypes = Counter.builder("identity_access_unknown_scope_type")
                .description("Assignments sent with a scope type that this version does not know (EVT-09)")
                .register(registry);
        Gauge.builder("identity_access_fanout_queue_backlog", queue, q -> q.show(QueueMeasure::backlog))
                .description("Tasks that wait for a worker: Pending, or InProgress with an expired lease")
                .register(registry);
        Gauge.builder("identity_access_fanout_failed_tasks", queue, q -> q.show(QueueMeasure::failed))
                .description("Tasks that used up their attempts and wait for a replay")
                .register(registry);
        Gauge.builder("identity_access_fanout_oldest_age_seconds", queue, q -> q.show(QueueMeasure::oldestAgeSeconds))
                .description(
                        "Seconds since the oldest task was queued that is neither Completed nor Failed; 0: there is none")
                .register(registry);
        Gauge.builder("identity_access_fanout_last_success_timestamp_seconds", lastSuccess, AtomicLong::get)
                .description(
                        "When a run last ended without a failure, an empty one included, or committed a page (seconds since"
                                + " 1970)")
                .register(registry);
    }

    /** The attempts of a task ran out while nobody worked on it. */
    public void exhausted(@Body Lease task, @Variable("jobRunId") UUID jobRunId) {
        tasks.get(FanOutRun.FAILED).increment();
        about(LOG.atError(), task)
                .addKeyValue("exception", "lease expired in the last attempt")
                .addKeyValue(LogIds.CORRELATION_ID, jobRunId)
                .log("task failed");
    }

    /** A run has found a task; runs that find none say nothing at INFO (FAN-16). */
    public void jobStarted(@Variable("jobRunId") UUID jobRunId) {
        LOG.atInfo()
                .addKeyValue("jobRunId", jobRunId)
                .addKeyValue(LogIds.CORRELATION_ID, jobRunId)
                .log("job started");
    }

    public void dequeued(@Variable("lease") Lease lease) {
        about(LOG.atInfo(), lease).log("task dequeued");
    }

    /** A page is committed: the only moment at which its users count. */
    public void pageCommitted(@Variable("lease") Lease lease, @Variable("page") Page page) {
        if (page.size() == 0) {
            return; // a role without users, or one whose last page was full
        }
        users.increment(page.size());
        batches.increment();
        runSucceeded(); // a run over a large role is no standstill
        LOG.atInfo()
                .addKeyValue("roleId", lease.roleId())
                .addKeyValue("rows", page.size())
                .addKeyValue("cursor", lease.cursor())
                .log("batch processed");
    }

    /** A consumer is far behind: the worker takes no new page until it is near again. */
    public void waitingForConsumers() {
        consumerWaits.increment();
    }

    /** The outbox is full: the worker takes no new page until the relay has caught up. */
    public void waitingForRelay() {
        waits.increment();
        runSucceeded(); // the worker holds its task, and lives: that events do not get out is the relay's alert
        if (relayWaits.maySay()) {
            LOG.warn("the outbox is full: fan-outs wait for the relay");
        }
    }

    /** A change of a role is committed; a queued one counts when its task completes. */
    public void roleChanged(@Body RoleChanged change) {
        if (change.changed() && change.taskId() == null) {
            size.record(change.inlineEvents());
        }
    }

    public void transientFailure(
            @Variable("lease") Lease lease, @ExchangeProperty(Exchange.EXCEPTION_CAUGHT) Throwable failure) {
        errors.increment();
        about(LOG.atWarn(), lease)
                .addKeyValue("exception", Failures.describe(failure))
                .log("task retried");
    }

    public void attemptFailed(
            @Variable("lease") Lease lease, @ExchangeProperty(Exchange.EXCEPTION_CAUGHT) Throwable failure) {
        errors.increment();
        about(LOG.atError(), lease)
                .addKeyValue("exception", Failures.describe(failure))
                .setCause(failure)
                .log("task failed");
    }

    /** A run failed outside any task: the queue could not be read. */
    public void runFailed(
            @Variable("jobRunId") @Nullable UUID jobRunId,
            @ExchangeProperty(Exchange.EXCEPTION_CAUGHT) Throwable failure) {
        errors.increment();
        if (runFailures.maySay()) {
            var line = LOG.atWarn().addKeyValue("exception", Failures.describe(failure));
            if (jobRunId != null) { // the measuring of the queue is no run
                line.addKeyValue(LogIds.CORRELATION_ID, jobRunId);
            }
            line.log("job failed, it is tried again");
        }
    }

    public void runSucceeded() {
        lastSuccess.set(now());
    }

    private static long now() {
        return Clock.systemUTC().instant().getEpochSecond();
    }

    /**
     * The task left this worker's hands. Lag and duration are the database's times: they do not depend on this
     * machine's clock.
     */
    public void finished(
            @Variable("leasedAt") OffsetDateTime leasedAt,
            @Variable("lease") Lease lease,
            @Variable("run") FanOutRun result) {
        tasks.get(result).increment();
        switch (result) {
            case COMPLETED -> {
                long durationMillis = Duration.between(leasedAt, lease.asOf()).toMillis();
                taskDuration.record(durationMillis);
                taskLag.record(Duration.between(lease.createdAt(), lease.asOf()).toMillis() / 1_000.0);
                size.record(lease.processedCount());
                LOG.atInfo()
                        .addKeyValue("roleId", lease.roleId())
                        .addKeyValue("processedCount", lease.processedCount())
                        .addKeyValue("durationMs", durationMillis)
                        .log("task completed");
            }
            case LEASE_LOST -> about(LOG.atWarn(), lease).log("lease lost");
            case HANDED_BACK -> about(LOG.atInfo(), lease).log("lease handed back");
            default -> {
                // the failure itself is logged where it happened
            }
        }
    }

    /** Counts assignments whose scope type this version does not know; they are sent all the same (EVT-09). */
    public void scopeTypes(@Body List<AssignmentRow> rows) {
        long unknown = rows.stream()
                .filter(row -> row.scopeType() != null && !KNOWN_SCOPE_TYPES.contains(row.scopeType()))
                .count();
        if (unknown > 0) {
            unknownScopeTypes.increment(unknown);
            LOG.atWarn().addKeyValue("assignments", unknown).log("unknown scope types are sent as they are");
        }
    }

    public void queueMeasured(QueueMeasure measure) {
        queue.is(measure);
    }

    /** The queue could not be read: what was measured before says nothing any more. */
    public void queueNotMeasured(@ExchangeProperty(Exchange.EXCEPTION_CAUGHT) Throwable failure) {
        queue.isUnknown();
        runFailed(null, failure);
    }

    private static LoggingEventBuilder about(LoggingEventBuilder line, Lease lease) {
        return line.addKeyValue("taskId", lease.taskId())
                .addKeyValue("roleId", lease.roleId())
                .addKeyValue("attempt", lease.attempt());
    }

    /** What measure-queue.sql counts. */
    public record QueueMeasure(long backlog, long failed, double oldestAgeSeconds) {}
}
