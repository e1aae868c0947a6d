package tests.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import app.kafka.LanePublishers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.impl.DefaultCamelContext;
import org.apache.kafka.clients.producer.Producer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.InvalidProducerEpochException;
import org.apache.kafka.common.errors.ProducerFencedException;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import processors.identity.Lane;
import tests.support.AccessTopic.AccessRecord;
import tests.support.TestSystem;

@DisplayName("The fence of a lane")
class RelayFencingTest {

    @RegisterExtension
    final TestSystem system = new TestSystem();

    @Test
    @DisplayName("EVT-06 a publisher whose lane was taken can neither send nor commit any more")
    void fenced() throws Exception {
        try (var before = publishers();
                var after = publishers()) {
            var old = producer(before);
            before.open(new Lane(0, 1, true));
            before.begin(new Lane(0, 1, true));
            old.send(record("before the takeover")).get();

            var fresh = producer(after);
            after.open(new Lane(0, 2, true)); // the lane is taken: what the first has not committed is void
            after.begin(new Lane(0, 2, true));
            fresh.send(record("after the takeover")).get();
            after.commit(new Lane(0, 2, true));

            assertThatThrownBy(() -> before.commit(new Lane(0, 1, true)))
                    .isInstanceOfAny(ProducerFencedException.class, InvalidProducerEpochException.class);
            assertThat(values()).containsExactly("after the takeover");
        }
    }

    @Test
    @DisplayName("EVT-06 a lane that comes back under a new epoch gets a new producer")
    void newEpoch() throws Exception {
        try (var publishers = publishers()) {
            var producer = producer(publishers);
            publishers.open(new Lane(0, 1, true));
            assertThat(publishers.needsRun(new Lane(0, 1, false))).isFalse();
            assertThat(publishers.needsRun(new Lane(0, 3, false))).isTrue();
            publishers.begin(new Lane(0, 1, true));
            producer.send(record("not committed")).get();

            publishers.open(new Lane(0, 3, true));
            publishers.begin(new Lane(0, 3, true));
            producer.send(record("committed")).get();
            publishers.commit(new Lane(0, 3, true));

            assertThat(values()).containsExactly("committed");
        }
    }

    @Test
    @DisplayName(
            "why not camel-kafka's transactions: they commit when the exchange ends, after the next steps of the route")
    void camelCommitsLate() throws Exception {
        var visible = new AtomicInteger(-1);
        try (var camel = new DefaultCamelContext()) {
            camel.addRoutes(new RouteBuilder() {
                @Override
                public void configure() {
                    from("direct:send")
                            .to(transactedEndpoint("late"))
                            .process(exchange -> visible.set(
                                    values(system.topic().committed()).size())); // here a DELETE would stand
                }
            });
            camel.start();
            camel.createProducerTemplate().sendBody("direct:send", "payload");
        }

        assertThat(visible.get()).as("committed when the next step ran").isZero();
        assertThat(values()).containsExactly("payload");
    }

    @Test
    @DisplayName("why not camel-kafka's transactions: a standby that starts fences the publisher that works")
    void camelFencesAtStart() throws Exception {
        try (var active = new DefaultCamelContext();
                var standby = new DefaultCamelContext()) {
            for (var camel : List.of(active, standby)) {
                camel.addRoutes(new RouteBuilder() {
                    @Override
                    public void configure() {
                        from("direct:send").errorHandler(noErrorHandler()).to(transactedEndpoint("standby"));
                    }
                });
            }
            active.start();
            active.createProducerTemplate().sendBody("direct:send", "works");

            standby.start();

            assertThatThrownBy(() -> active.createProducerTemplate().sendBody("direct:send", "fenced"))
                    .rootCause()
                    .isInstanceOfAny(ProducerFencedException.class, InvalidProducerEpochException.class);
            assertThat(values()).containsExactly("works");
        }
    }

    private String transactedEndpoint(String id) {
        return "kafka:" + system.topic().name() + "?brokers="
                + TestSystem.stack().kafka().brokers() + "&synchronous=true&additionalProperties.transactional.id="
                + system.database() + id;
    }

    private LanePublishers publishers() {
        return new LanePublishers(
                TestSystem.stack().kafka().brokers(),
                Map.of(),
                "fence-" + system.database(),
                100,
                Duration.ofSeconds(10));
    }

    @SuppressWarnings("unchecked")
    private static Producer<byte[], byte[]> producer(LanePublishers publishers) {
        var properties = new Properties();
        properties.putAll(Map.of(
                "bootstrap.servers", TestSystem.stack().kafka().brokers(),
                "client.id", "access-relay-lane-0",
                "key.serializer", "org.apache.kafka.common.serialization.ByteArraySerializer",
                "value.serializer", "org.apache.kafka.common.serialization.ByteArraySerializer"));
        return publishers.getProducer(properties);
    }

    private ProducerRecord<byte[], byte[]> record(String value) {
        return new ProducerRecord<>(
                system.topic().name(),
                null,
                "key".getBytes(StandardCharsets.UTF_8),
                value.getBytes(StandardCharsets.UTF_8),
                List.of(new RecordHeader(
                        "MessageId", UUID.randomUUID().toString().getBytes(StandardCharsets.UTF_8))));
    }

    private List<String> values() {
        return values(system.topic().settled());
    }

    private static List<String> values(List<AccessRecord> records) {
        return records.stream()
                .map(record -> new String(record.raw().value(), StandardCharsets.UTF_8))
                .toList();
    }
}
