package tests.history;

import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.apache.kafka.common.KafkaException;
import org.awaitility.core.ConditionTimeoutException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import tests.history.History.Cached;
import tests.support.AccessTopic;
import tests.support.CacheSystem;
import tests.support.TestSystem;
import tests.support.WorkerProcess;

/**
 * The consumers of a history: one access cache reads the events themselves, another one reads them without their
 * VersionSource. Each has its own group and database.
 */
final class Caches implements BeforeEachCallback, AfterEachCallback {

    /** Kafka gives a killed consumer's partitions to the next one after 10 s; the rest is for starting it. */
    private static final Duration PATIENCE = Duration.ofSeconds(45);

    private final CacheSystem sourced = new CacheSystem();
    private final CacheSystem unsourced = new CacheSystem();
    private @Nullable AccessTopic topic;
    private @Nullable Forwarder forwarder;

    @Override
    public void beforeEach(ExtensionContext context) throws Exception {
        sourced.beforeEach(context);
        unsourced.beforeEach(context);
    }

    @Override
    public void afterEach(ExtensionContext context) throws Exception {
        if (forwarder != null) {
            forwarder.close();
        }
        sourced.afterEach(context);
        unsourced.afterEach(context);
    }

    /** Watches both caches, and begins to copy the events. */
    void open(AccessTopic topic) {
        this.topic = topic;
        recorder(sourced).install();
        recorder(unsourced).install();
        forwarder = new Forwarder(sourced.brokers(), topic.name(), unsourced.topic()).start();
    }

    /** One more instance of the cache that knows each event's VersionSource. */
    WorkerProcess startSourced(List<String> jvm, @Nullable Mutant mutant) throws IOException {
        return sourced.startProcess(jvm, mutant == null ? null : mutant.overlay(), "access-cache.topic", topic.name());
    }

    /** One more instance of the cache that does not. */
    WorkerProcess startUnsourced(List<String> jvm, @Nullable Mutant mutant) throws IOException {
        return unsourced.startProcess(jvm, mutant == null ? null : mutant.overlay());
    }

    /** Names of the two databases. */
    List<String> databases() {
        return List.of(sourced.database(), unsourced.database());
    }

    /** Returns when both groups have committed everything; what they leave is a leftover. */
    void awaitRest(List<String> leftovers) {
        var ends = ends();
        awaitOr(leftovers, "records that were not copied", () -> forwarder.hasCopied(ends) ? 0L : 1L);
        if (forwarder.failure() != null) {
            leftovers.add("the copy ended with " + forwarder.failure());
        }
        awaitOr(leftovers, "records that the cache with VersionSource has not handled", () -> {
            var committed = sourced.committed();
            return ends.entrySet().stream()
                    .mapToLong(end -> Math.max(0, end.getValue() - committed.getOrDefault(end.getKey(), 0L)))
                    .sum();
        });
        awaitOr(leftovers, "records that the cache without VersionSource has not handled", unsourced::lag);
        for (var cache : List.of(sourced, unsourced)) {
            cache.deadLetters().forEach(letter -> leftovers.add("a dead letter: " + letter.headers()));
        }
    }

    List<Cached> read() {
        return List.of(
                recorder(sourced).read("with VersionSource", true),
                recorder(unsourced).read("without VersionSource", false));
    }

    /** By partition, the offset behind the last record. The end of the partition is behind a marker of Kafka's. */
    private Map<Integer, Long> ends() {
        var ends = new HashMap<Integer, Long>();
        topic.settled()
                .forEach(record ->
                        ends.put(record.raw().partition(), record.raw().offset() + 1));
        return ends;
    }

    /** Waits for as long as it becomes less. */
    private static void awaitOr(List<String> leftovers, String what, Callable<Long> lag) {
        long least = Long.MAX_VALUE;
        try {
            while (least > 0) {
                long before = least;
                least = await().atMost(PATIENCE)
                        // Kafka comes back.
                        .ignoreExceptionsMatching(failure ->
                                failure instanceof KafkaException || failure instanceof IllegalStateException)
                        .until(lag, now -> now < before);
            }
        } catch (ConditionTimeoutException e) {
            leftovers.add(least + " " + what);
        }
    }

    /** With a new connection for each statement: PostgreSQL crashes. */
    private static CacheRecorder recorder(CacheSystem cache) {
        return new CacheRecorder(new JdbcTemplate(
                new DriverManagerDataSource(TestSystem.stack().url(cache.database()), "postgres", "")));
    }
}
