package processors.access;

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
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangeProperty;
import org.apache.camel.Variable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.slf4j.spi.LoggingEventBuilder;
import processors.consuming.DeadLetter;
import processors.consuming.Metadata;
import processors.consuming.PollTraces;
import processors.consuming.RecordLine;
import processors.failures.Failures;
import processors.failures.QuietLog;

/** Logs and metrics of the access cache (EVT-12), in one place. No assignment is in any of them (EVT-11). */
public final class AccessCacheObserver {

    private static final Logger LOG = LoggerFactory.getLogger("access.cache");
    private static final List<String> DROPPED = List.of("stale", "duplicate", "unknown-type");
    private static final List<String> CODES =
            List.of(AccessEvents.INVALID_PAYLOAD, Arrival.UNREADABLE_KEY, Arrival.STORE_REFUSED);

    private final MeterRegistry registry;
    private final String group;
    private final Clock clock;
    private final DistributionSummary delay;
    private final DistributionSummary duration;
    private final Counter applied;
    private final Map<Invalidation, Counter> invalidated = new EnumMap<>(Invalidation.class);
    private final Map<String, Counter> dropped = new TreeMap<>();
    private final Map<String, Counter> deadLetters = new TreeMap<>();
    private final Counter otherContracts;
    private final AtomicReference<Double> appliedUntilSeconds = new AtomicReference<>(Double.NaN);
    private final QuietLog freshnessFailures = new QuietLog();

    /** @param group the value of the label {@code group} of each metric */
    public AccessCacheObserver(MeterRegistry registry, String group) {
        this(registry, group, Clock.systemUTC());
    }

    AccessCacheObserver(MeterRegistry registry, String group, Clock clock) {
        this.registry = registry;
        this.group = group;
        this.clock = clock;
        delay = DistributionSummary.builder("access_cache_delay_seconds")
                .description("Seconds from an event's CreatedAt (when it was appended in identity) to its commit here")
                .tag("group", group)
                .serviceLevelObjectives(0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 30, 60, 120, 300, 1_800)
                .register(registry);
        duration = DistributionSummary.builder("access_cache_consume_duration_ms")
                .description("Milliseconds from the poll of a record to the commit of its batch")
                .tag("group", group)
                .serviceLevelObjectives(1, 2, 5, 10, 20, 50, 100, 250, 500, 1_000, 5_000, 30_000, 60_000)
                .register(registry);
        applied = counter("access_cache_applied", "Events whose set has replaced a user's", group)
                .register(registry);
        for (var why : Invalidation.values()) {
            invalidated.put(
                    why,
                    counter("access_cache_invalidated", "Users whose rights must be asked for, by reason", group)
                            .tag("reason", why.label())
                            .register(registry));
        }
        for (var reason : DROPPED) {
            dropped.put(
                    reason,
                    counter("access_cache_dropped", "Events acknowledged without a change, by reason", group)
                            .tag("reason", reason)
                            .register(registry));
        }
        for (var code : CODES) {
            deadLetters.put(
                    code,
                    counter("access_cache_dlq", "Records that Kafka has taken as dead letters, by code", group)
                            .tag("code", code)
                            .register(registry));
        }
        otherContracts = counter(
                        "access_cache_other_contract",
                        "Events whose ContractVersion is not 1, handled all the same",
                        group)
                .register(registry);
    }

    /** Registers what only a consumer knows that hears the relay's watermarks. */
    public void hearsWatermarks() {
        Gauge.builder("access_cache_applied_until_timestamp_seconds", appliedUntilSeconds, AtomicReference::get)
                .description("Everything that was committed in identity before this time is applied")
                .tag("group", group)
                .register(registry);
    }

    /** A batch is committed: the only moment at which its records count. */
    public void committed(
            @Variable("batch") AccessBatch batch,
            @Variable("since") long since,
            @ExchangeProperty(PollTraces.PROPERTY) @Nullable PollTraces traces) {
        double millis = (System.nanoTime() - since) / 1e6;
        var now = clock.instant();
        for (var outcome : batch.outcomes()) {
            duration.record(millis);
            var metadata = outcome.arrival().metadata();
            if (metadata != null) {
                var age = Duration.between(metadata.createdAt().toInstant(), now);
                delay.record(Math.max(0, age.toMillis() / 1e3));
            }
            observe(outcome, traces);
        }
    }

    /** Kafka has acknowledged these dead letters. */
    public void deadLettered(
            @Variable("deadLetters") List<DeadLetter> letters,
            @ExchangeProperty(PollTraces.PROPERTY) @Nullable PollTraces traces) {
        for (var letter : letters) {
            deadLetters.get(letter.rejection().code()).increment();
            var source = letter.source();
            var line = LOG.atError()
                    .addKeyValue(
                            "messageId", RecordLine.shown(Metadata.uuid(Metadata.text(source.headers(), "MessageId"))))
                    .addKeyValue("code", letter.rejection().code())
                    .addKeyValue("reason", letter.rejection().reason())
                    .addKeyValue("topic", source.topic())
                    .addKeyValue("partition", source.partition())
                    .addKeyValue("offset", source.offset());
            RecordLine.of(line, source.headers(), traces).log("dead-lettered");
        }
    }

    /** Everything that was committed in identity before this time is applied. */
    public void fresh(@Variable("appliedUntil") OffsetDateTime appliedUntil) {
        appliedUntilSeconds.set(appliedUntil.toInstant().toEpochMilli() / 1e3);
    }

    public void freshnessFailed(@ExchangeProperty(Exchange.EXCEPTION_CAUGHT) Throwable failure) {
        if (freshnessFailures.maySay()) {
            LOG.atWarn()
                    .addKeyValue("exception", Failures.describe(failure))
                    .log("freshness not noted, the next watermark says as much");
        }
    }

    private void observe(Outcome outcome, @Nullable PollTraces traces) {
        var arrival = outcome.arrival();
        if (outcome instanceof Outcome.Applied event) {
            applied.increment();
            say(LOG.atDebug(), arrival, event.event(), traces, "applied");
        } else if (outcome instanceof Outcome.Invalidated event) {
            invalidated.get(event.why()).increment();
            // Where no VersionSource tells the order this is every change of a role: no fault, and no flood of
            // warnings.
            var line = about(
                            LOG.atLevel(event.why() == Invalidation.UNKNOWN_ORDER ? Level.INFO : Level.WARN),
                            arrival,
                            event.event())
                    .addKeyValue("reason", event.why().label());
            if (event.why() == Invalidation.UNKNOWN_ENUM) {
                line.addKeyValue("fields", event.event().unknownEnums());
            }
            RecordLine.of(line, arrival.source().headers(), traces).log("invalidated");
        } else if (outcome instanceof Outcome.DroppedStale event) {
            dropped.get("stale").increment();
            say(LOG.atInfo(), arrival, event.event(), traces, "dropped-stale");
        } else if (outcome instanceof Outcome.DroppedDuplicate event) {
            dropped.get("duplicate").increment();
            say(LOG.atInfo(), arrival, event.event(), traces, "dropped-duplicate");
        } else if (outcome instanceof Outcome.SkippedUnknownType) {
            dropped.get("unknown-type").increment();
            say(LOG.atInfo(), arrival, null, traces, "skipped-unknown-type");
        } else if (outcome instanceof Outcome.DeadLettered && !arrival.userIds().isEmpty()) {
            invalidated.get(Invalidation.BROKEN).increment();
            var line = about(LOG.atWarn(), arrival, null).addKeyValue("reason", Invalidation.BROKEN.label());
            RecordLine.of(line, arrival.source().headers(), traces).log("invalidated");
        }
        if (arrival.metadata() != null && arrival.otherContractVersion()) {
            otherContracts.increment();
            say(LOG.atWarn(), arrival, null, traces, "unknown ContractVersion, handled all the same");
        }
    }

    private static void say(
            LoggingEventBuilder line,
            Arrival arrival,
            @Nullable AccessEvent event,
            @Nullable PollTraces traces,
            String message) {
        RecordLine.of(about(line, arrival, event), arrival.source().headers(), traces)
                .log(message);
    }

    private static LoggingEventBuilder about(LoggingEventBuilder line, Arrival arrival, @Nullable AccessEvent event) {
        if (RecordLine.isOff(line)) {
            return line;
        }
        var metadata = arrival.metadata();
        var source = arrival.versionSource();
        return line.addKeyValue("messageId", RecordLine.shown(metadata == null ? null : metadata.messageId()))
                .addKeyValue("userId", arrival.userIds())
                .addKeyValue("versionSource", RecordLine.shown(source == null ? null : source.name()))
                .addKeyValue("version", RecordLine.shown(event == null ? null : event.version()));
    }

    private static Counter.Builder counter(String name, String description, String group) {
        return Counter.builder(name).description(description).tag("group", group);
    }
}
