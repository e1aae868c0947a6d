package processors.news;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Pattern;
import org.apache.camel.Body;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangeProperty;
import org.apache.camel.Variable;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.LoggingEventBuilder;
import processors.consuming.DeadLetter;
import processors.consuming.Metadata;
import processors.consuming.PollTraces;
import processors.consuming.RecordLine;
import processors.failures.Failures;
import processors.failures.QuietLog;

/**
 * The logs of REP-18 and the metrics of REP-19, in one place. Of a user's name the log holds the first letter, of phone and
 * e-mail nothing; no reason of a dead letter quotes the record.
 */
public final class ReplicaObserver {

    private static final Logger LOG = LoggerFactory.getLogger("access.replica");
    private static final Pattern NAME = Pattern.compile("[A-Za-z][A-Za-z0-9._-]{0,99}");
    private static final List<String> SKIPPED = List.of("stale", "duplicate", "missing", "unknown-type");
    private static final List<String> ENUMS = List.of("Type", "Status");

    private final Clock clock;
    private final DistributionSummary duration;
    private final DistributionSummary lag;
    private final Counter upserted;
    private final Counter blocked;
    private final Counter stale;
    private final Map<String, Counter> skipped;
    private final Map<String, Counter> unknownEnums;
    private final Counter deadLetters;
    private final Counter otherContracts;
    private final Counter purgedMarks;
    private final QuietLog purgeFailures = new QuietLog();

    public ReplicaObserver(MeterRegistry registry) {
        this(registry, Clock.systemUTC());
    }

    ReplicaObserver(MeterRegistry registry, Clock clock) {
        this.clock = clock;
        duration = DistributionSummary.builder("news_replica_consume_duration_ms")
                .description("Milliseconds from the poll of a record to the commit of its batch")
                .serviceLevelObjectives(1, 2, 5, 10, 20, 50, 100, 250, 500, 1_000, 5_000, 30_000, 60_000)
                .register(registry);
        lag = DistributionSummary.builder("news_replica_lag_seconds")
                .description("Seconds from an event's CreatedAt to the commit of its batch")
                .serviceLevelObjectives(0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10, 30, 60, 120, 300, 1_800)
                .register(registry);
        upserted = counter(registry, "news_replica_upserted", "Users inserted or updated");
        blocked = counter(registry, "news_replica_blocked", "Users set to Blocked by their own event");
        stale = counter(registry, "news_replica_stale", "Events that are not newer than their row");
        skipped = new TreeMap<>();
        for (var reason : SKIPPED) {
            skipped.put(
                    reason,
                    Counter.builder("news_replica_skipped")
                            .description("Events acknowledged without a change, by reason")
                            .tag("reason", reason)
                            .register(registry));
        }
        unknownEnums = new TreeMap<>();
        for (var field : ENUMS) {
            unknownEnums.put(
                    field,
                    Counter.builder("news_replica_unknown_enum")
                            .description("Applied events with a value that has no mapping of its own, by field")
                            .tag("field", field)
                            .register(registry));
        }
        deadLetters = counter(registry, "news_replica_dlq", "Records that Kafka has taken as dead letters");
        otherContracts = counter(
                registry, "news_replica_other_contract", "Events whose ContractVersion is not 1, applied all the same");
        purgedMarks = counter(registry, "news_replica_purged_marks", "Marks of idempotency deleted for their age");
    }

    /** A batch is committed: the only moment at which its records count. */
    public void committed(
            @Variable("batch") ReplicaBatch batch,
            @Variable("since") long since,
            @ExchangeProperty(PollTraces.PROPERTY) @Nullable PollTraces traces) {
        double millis = (System.nanoTime() - since) / 1e6;
        var now = clock.instant();
        for (var outcome : batch.outcomes()) {
            var metadata = outcome.arrival().metadata();
            duration.record(millis);
            if (metadata != null) {
                var age = Duration.between(metadata.createdAt().toInstant(), now);
                lag.record(Math.max(0, age.toMillis() / 1e3));
            }
            observe(outcome, traces);
        }
    }

    /** Kafka has acknowledged these dead letters. */
    public void deadLettered(
            @Variable("deadLetters") List<DeadLetter> letters,
            @ExchangeProperty(PollTraces.PROPERTY) @Nullable PollTraces traces) {
        deadLetters.increment(letters.size());
        for (var letter : letters) {
            var source = letter.source();
            var line = about(LOG.atError(), source.headers(), null, null)
                    .addKeyValue("code", letter.rejection().code())
                    .addKeyValue("reason", letter.rejection().reason())
                    .addKeyValue("topic", source.topic())
                    .addKeyValue("partition", source.partition())
                    .addKeyValue("offset", source.offset());
            RecordLine.of(line, source.headers(), traces).log("dead-lettered");
        }
    }

    /** One step of the purge is committed. */
    public void purged(@Body long rows) {
        purgedMarks.increment(rows);
    }

    public void purgeFailed(@ExchangeProperty(Exchange.EXCEPTION_CAUGHT) Throwable failure) {
        if (purgeFailures.maySay()) {
            LOG.atWarn()
                    .addKeyValue("exception", Failures.describe(failure))
                    .log("marks not purged, the next period tries again");
        }
    }

    private void observe(Outcome outcome, @Nullable PollTraces traces) {
        var arrival = outcome.arrival();
        say(LOG.atInfo(), arrival, traces, "consumed");
        if (outcome instanceof Outcome.Upserted applied) {
            upserted.increment();
            var event = applied.event();
            var line = about(LOG.atInfo(), arrival);
            if (!RecordLine.isOff(line)) {
                line.addKeyValue("displayName", masked(event.displayName()));
            }
            RecordLine.of(line, arrival.source().headers(), traces).log("upserted");
            warn(arrival, event, traces);
        } else if (outcome instanceof Outcome.Blocked) {
            blocked.increment();
            say(LOG.atInfo(), arrival, traces, "blocked");
        } else if (outcome instanceof Outcome.SkippedStale old) {
            stale.increment();
            skip("stale");
            var line = about(LOG.atInfo(), arrival).addKeyValue("rowVersion", old.sourceVersion());
            RecordLine.of(line, arrival.source().headers(), traces).log("skipped-stale");
        } else if (outcome instanceof Outcome.SkippedDuplicate) {
            skip("duplicate");
            say(LOG.atInfo(), arrival, traces, "skipped-duplicate");
        } else if (outcome instanceof Outcome.SkippedMissingReplica) {
            skip("missing");
            say(LOG.atInfo(), arrival, traces, "skipped-missing-replica");
        } else if (outcome instanceof Outcome.SkippedUnknownType) {
            skip("unknown-type");
            say(LOG.atInfo(), arrival, traces, "skipped-unknown-type");
        }
        if (arrival.metadata() != null && arrival.otherContractVersion()) {
            otherContracts.increment();
            say(LOG.atWarn(), arrival, traces, "unknown ContractVersion, handled all the same");
        }
    }

    private void warn(Arrival arrival, UserEvent.Upserted event, @Nullable PollTraces traces) {
        for (var field : event.unknownEnums()) {
            unknownEnums.get(field).increment();
            var line = about(LOG.atWarn(), arrival)
                    .addKeyValue("field", field)
                    .addKeyValue("takenAs", field.equals("Type") ? event.type() : event.status());
            RecordLine.of(line, arrival.source().headers(), traces).log("value without a mapping of its own");
        }
        if (event.cut()) {
            say(LOG.atWarn(), arrival, traces, "DisplayName was cut");
        }
    }

    private void skip(String reason) {
        skipped.get(reason).increment();
    }

    private static void say(LoggingEventBuilder line, Arrival arrival, @Nullable PollTraces traces, String message) {
        RecordLine.of(about(line, arrival), arrival.source().headers(), traces).log(message);
    }

    private static LoggingEventBuilder about(LoggingEventBuilder line, Arrival arrival) {
        return about(line, arrival.source().headers(), arrival.metadata(), arrival.event());
    }

    /** What a line is about. Foreign text is shown only as a UUID or a name. */
    private static LoggingEventBuilder about(
            LoggingEventBuilder line, Headers headers, @Nullable Metadata metadata, @Nullable UserEvent event) {
        if (RecordLine.isOff(line)) {
            return line;
        }
        var messageId = metadata != null ? metadata.messageId() : Metadata.uuid(Metadata.text(headers, "MessageId"));
        var userId = event != null ? event.userId() : Metadata.uuid(Metadata.text(headers, "AggregateId"));
        var eventType = metadata != null ? metadata.eventType() : Metadata.text(headers, "EventType");
        return line.addKeyValue("messageId", RecordLine.shown(messageId))
                .addKeyValue("userId", RecordLine.shown(userId))
                .addKeyValue(
                        "eventType",
                        eventType != null && NAME.matcher(eventType).matches() ? eventType : "-")
                .addKeyValue("sourceVersion", RecordLine.shown(event == null ? null : event.version()));
    }

    /** The first letter, and nothing of the length. */
    private static String masked(String displayName) {
        return displayName.substring(0, displayName.offsetByCodePoints(0, 1)) + "***";
    }

    private static Counter counter(MeterRegistry registry, String name, String description) {
        return Counter.builder(name).description(description).register(registry);
    }
}
