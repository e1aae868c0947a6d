package app.kafka;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Collectors;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.ListConsumerGroupOffsetsSpec;
import org.apache.kafka.clients.consumer.OffsetAndMetadata;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.errors.GroupAuthorizationException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import processors.failures.Failures;
import processors.failures.QuietLog;

/**
 * Whether consumers are further behind than they should be. A fan-out that runs ahead of them would put a revoke that comes
 * meanwhile behind all of it. A group that stands still, or that nobody knows, holds nobody up: it is its own alert; and while
 * Kafka does not answer, the relay's back-pressure is what counts.
 */
public final class GroupLag implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger("access.fanout");
    private static final int PATIENCE_MILLIS = 3_000;
    private static final long AGE_NANOS = Duration.ofMillis(200).toNanos();
    private static final long REST_NANOS = Duration.ofSeconds(5).toNanos();
    private static final long STANDSTILL_NANOS = Duration.ofSeconds(10).toNanos();

    private final Map<String, Object> client;
    private final List<String> groups;
    private final long most;
    private final TopicEnds ends;
    private final Map<String, Progress> progress = new HashMap<>();
    private final QuietLog failures = new QuietLog();
    private @Nullable Admin admin;
    private long askAt = System.nanoTime();
    private boolean tooLarge;

    /** How far a group was, and since when. */
    private record Progress(long handled, long since) {}

    /**
     * @param clientSettings security and other settings that every client of Kafka takes, by their Kafka names
     * @param groups those that matter; empty: none does, and Kafka is never asked
     * @param most records that each may be behind
     */
    public GroupLag(
            String brokers, Map<String, String> clientSettings, List<String> groups, long most, TopicEnds ends) {
        this.groups = List.copyOf(groups);
        this.most = most;
        this.ends = ends;
        client = new HashMap<>(clientSettings);
        client.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, brokers);
        client.put(AdminClientConfig.CLIENT_ID_CONFIG, "access-group-lag");
        client.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, PATIENCE_MILLIS);
        client.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, PATIENCE_MILLIS);
    }

    /** As of some milliseconds ago. */
    public synchronized boolean isTooLarge() {
        if (groups.isEmpty()) {
            return false;
        }
        if (System.nanoTime() - askAt >= 0) {
            askAt = System.nanoTime() + AGE_NANOS;
            tooLarge = ask();
        }
        return tooLarge;
    }

    private boolean ask() {
        try {
            var all = ends.get();
            var committed = committed();
            long now = System.nanoTime();
            return groups.stream().anyMatch(group -> isBehind(group, all, committed.get(group), now));
        } catch (KafkaException e) {
            // Kafka is away, perhaps for long: pages must not wait for its time-outs.
            askAt = System.nanoTime() + REST_NANOS;
            if (failures.maySay()) {
                LOG.warn("how far consumers are is not known, nobody waits for them: {}", Failures.describe(e));
            }
            return false;
        }
    }

    private boolean isBehind(
            String group, Map<Integer, Long> all, Map<TopicPartition, OffsetAndMetadata> committed, long now) {
        long handled = 0;
        long lag = 0;
        for (var offset : committed.entrySet()) {
            var end = all.get(offset.getKey().partition());
            if (end != null
                    && offset.getValue() != null
                    && offset.getKey().topic().equals(ends.topic())) {
                handled += offset.getValue().offset();
                lag += Math.max(0, end - offset.getValue().offset());
            }
        }
        var before = progress.get(group);
        if (before == null || before.handled() != handled) {
            progress.put(group, new Progress(handled, now));
            return lag > most;
        }
        return lag > most && now - before.since() < STANDSTILL_NANOS;
    }

    private Map<String, Map<TopicPartition, OffsetAndMetadata>> committed() {
        if (admin == null) {
            admin = Admin.create(client);
        }
        try {
            return admin.listConsumerGroupOffsets(groups.stream()
                            .collect(Collectors.toMap(group -> group, group -> new ListConsumerGroupOffsetsSpec())))
                    .all()
                    .get(PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException e) {
            close();
            if (e.getCause() instanceof GroupAuthorizationException) {
                // Kafka does not say which right.
                throw new KafkaException("no right to DESCRIBE the groups " + groups);
            }
            throw new KafkaException("the offsets of " + groups + " are not known", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new KafkaException("stopping", e);
        }
    }

    @Override
    public synchronized void close() {
        if (admin != null) {
            admin.close(Duration.ZERO);
            admin = null;
        }
    }
}
