package processors.news;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.apache.camel.Body;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangeProperty;
import org.apache.camel.Variable;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import processors.consuming.DeadLetter;
import processors.consuming.Metadata;
import processors.failures.Failures;
import processors.failures.QuietLog;

/**
 * The logs of REP-18 and the metrics of REP-19, in one place. Of a user's name the log holds the first letter, of phone and
 * e-mail nothing; no reason of a dead letter quotes the record.
 */
public final class ReplicaObserver {

    private static final Logger LOG = LoggerFactory.getLogger("access.replica");
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
    public void committed(@Variable("batch") ReplicaBatch batch, @Variable("since") long since) {
        double millis = (System.nanoTime() - since) / 1e6;
        var now = clock.instant();
        for (var outcome : batch.outcomes()) {
            var metadata = outcome.arrival().metadata();
            duration.record(millis);
            if (metadata != null) {
                var age = Duration.between(metadata.createdAt().toInstant(), now);
                lag.record(Math.max(0, age.toMillis() / 1e3));
            }
            observe(outcome);
        }
    }

    /** Kafka has acknowledged these dead letters. */
    public void deadLettered(@Variable("deadLetters") List<DeadLetter> letters) {
        deadLetters.increment(letters.size());
        for (var letter : letters) {
            var source = letter.source();
            LOG.error(
                    "dead-lettered {} code={} reason={} topic={} partition={} offset={}",
                    about(source.headers(), null, null),
                    letter.rejection().code(),
                    letter.rejection().reason(),
                    source.topic(),
                    source.partition(),
                    source.offset());
        }
    }

    /** One step of the purge is committed. */
    public void purged(@Body long rows) {
        purgedMarks.increment(rows);
    }

    public void purgeFailed(@ExchangeProperty(Exchange.EXCEPTION_CAUGHT) Throwable failure) {
        if (purgeFailures.maySay()) {
            LOG.warn("marks not purged, the next period tries again: {}", Failures.describe(failure));
        }
    }

    private void observe(Outcome outcome) {
        var arrival = outcome.arrival();
        LOG.info("consumed {}", about(arrival, null));
        if (outcome instanceof Outcome.Upserted applied) {
            upserted.increment();
            var event = applied.event();
            LOG.info("upserted {} displayName={}", about(arrival, event), masked(event.displayName()));
            warn(arrival, event);
        } else if (outcome instanceof Outcome.Blocked applied) {
            blocked.increment();
            LOG.info("blocked {}", about(arrival, applied.event()));
        } else if (outcome instanceof Outcome.SkippedStale old) {
            stale.increment();
            skip("stale");
            LOG.info("skipped-stale {} rowVersion={}", about(arrival, old.event()), old.sourceVersion());
        } else if (outcome instanceof Outcome.SkippedDuplicate) {
            skip("duplicate");
            LOG.info("skipped-duplicate {}", about(arrival, null));
        } else if (outcome instanceof Outcome.SkippedMissingReplica missing) {
            skip("missing");
            LOG.info("skipped-missing-replica {}", about(arrival, missing.event()));
        } else if (outcome instanceof Outcome.SkippedUnknownType) {
            skip("unknown-type");
            LOG.info("skipped-unknown-type {}", about(arrival, null));
        }
        if (arrival.metadata() != null && arrival.otherContractVersion()) {
            otherContracts.increment();
            LOG.warn("ContractVersion is not {}: {}", Metadata.CONTRACT_VERSION, about(arrival, null));
        }
    }

    private void warn(Arrival arrival, UserEvent.Upserted event) {
        for (var field : event.unknownEnums()) {
            unknownEnums.get(field).increment();
            LOG.warn(
                    "{} has no mapping of its own, taken as {}: {}",
                    field,
                    field.equals("Type") ? event.type() : event.status(),
                    about(arrival, event));
        }
        if (event.cut()) {
            LOG.warn("DisplayName was cut to {} characters: {}", UserEvents.MOST_DISPLAY_NAME, about(arrival, event));
        }
    }

    private void skip(String reason) {
        skipped.get(reason).increment();
    }

    private static About about(Arrival arrival, @Nullable UserEvent event) {
        return about(arrival.source().headers(), arrival.metadata(), event != null ? event : arrival.event());
    }

    private static About about(Headers headers, @Nullable Metadata metadata, @Nullable UserEvent event) {
        return new About(headers, metadata, event);
    }

    /** What a line is about; put into words only where the line is written. Foreign text is shown only as a UUID or a name. */
    private record About(
            Headers headers,
            @Nullable Metadata metadata,
            @Nullable UserEvent event) {

        @Override
        public String toString() {
            var messageId =
                    metadata != null ? metadata.messageId() : Metadata.uuid(Metadata.text(headers, "MessageId"));
            var userId = event != null ? event.userId() : Metadata.uuid(Metadata.text(headers, "AggregateId"));
            var eventType = Metadata.text(headers, "EventType");
            return "messageId=" + shown(messageId) + " userId=" + shown(userId) + " eventType="
                    + (eventType != null && eventType.matches("[A-Za-z][A-Za-z0-9._-]{0,99}") ? eventType : "-")
                    + " sourceVersion=" + (event != null ? event.version() : "-");
        }

        private static String shown(@Nullable Object value) {
            return value == null ? "-" : value.toString();
        }
    }

    /** The first letter, and nothing of the length. */
    private static String masked(String displayName) {
        return displayName.substring(0, displayName.offsetByCodePoints(0, 1)) + "***";
    }

    private static Counter counter(MeterRegistry registry, String name, String description) {
        return Counter.builder(name).description(description).register(registry);
    }
}
