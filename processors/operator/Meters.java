package processors.operator;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Comparator;
import java.util.List;

/** What the metrics of this process say of its consumers, and of the groups that read the access topic. */
final class Meters {

    /** A consumer, and what its metrics are called. */
    private record Consumer(String name, String delay, String deadLetters) {}

    private static final List<Consumer> CONSUMERS = List.of(
            new Consumer("author-replica", "news_replica_lag_seconds", "news_replica_dlq"),
            new Consumer("access-cache", "access_cache_delay_seconds", "access_cache_dlq"));

    private final MeterRegistry registry;

    Meters(MeterRegistry registry) {
        this.registry = registry;
    }

    /** Those that this process runs. */
    List<ConsumerState> consumers() {
        return CONSUMERS.stream()
                .flatMap(consumer -> registry.find(consumer.delay()).summaries().stream()
                        .map(delay -> new ConsumerState(
                                consumer.name(),
                                group(delay),
                                delay.max(),
                                gauge("consumer_oldest_age_seconds", consumer.name()),
                                gauge("consumer_lag", consumer.name()),
                                sum(registry.find(consumer.deadLetters()).counters()),
                                count("consumer_retries", consumer.name()),
                                count("consumer_missed", consumer.name()))))
                .toList();
    }

    List<GroupLag> groups() {
        return registry.find("identity_access_consumer_lag").gauges().stream()
                .map(gauge -> new GroupLag(group(gauge), gauge.value()))
                .sorted(Comparator.comparing(GroupLag::group))
                .toList();
    }

    private double gauge(String name, String consumer) {
        var gauge = registry.find(name).tag("consumer", consumer).gauge();
        return gauge == null ? Double.NaN : gauge.value();
    }

    private double count(String name, String consumer) {
        return sum(registry.find(name).tag("consumer", consumer).counters());
    }

    private static double sum(Iterable<Counter> counters) {
        double sum = Double.NaN;
        for (var counter : counters) {
            sum = (Double.isNaN(sum) ? 0 : sum) + counter.count();
        }
        return sum;
    }

    private static String group(Meter meter) {
        var group = meter.getId().getTag("group");
        return group == null ? "" : group;
    }
}
