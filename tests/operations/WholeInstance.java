package tests.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import app.AccessApplication;
import app.Settings;
import app.db.Migrations;
import demo.EmbeddedStack;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ExtensionContext.Namespace;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import tests.support.Identity;
import tests.support.ManagementPort;
import tests.support.TestSystem;
import tests.support.UserEvent;

/**
 * An instance with all contexts on that has done a little of everything. Tests only look at it, so that one is started for
 * all of them; they take it, or a fresh {@link Scrape} of it, as a parameter.
 */
final class WholeInstance implements AutoCloseable {

    private final TestSystem system = new TestSystem();
    private final AccessApplication application;
    private final String usersTopic;

    private WholeInstance() throws Exception {
        system.open();
        var name = system.database();
        var url = TestSystem.stack().url(name);
        usersTopic = "users." + name;
        // Not "gateway": members of other tests' groups would be waited for.
        var group = "gateway-" + name;
        var settings = new String[] {
            "identity.access-groups",
            group,
            "identity.measure-interval",
            "200ms",
            "identity.watermark-topic",
            "watermarks." + name,
            "identity.watermark-interval",
            "200ms",
            "news.enabled",
            "true",
            "news.db.url",
            url,
            "news.db.user",
            EmbeddedStack.NEWS_USER,
            "news.replica.topic",
            usersTopic,
            "news.replica.group",
            "news-" + name,
            "news.replica.dlq-topic",
            usersTopic + ".dlq",
            "news.replica.measure-interval",
            "200ms",
            "access-cache.enabled",
            "true",
            "access-cache.db.url",
            url,
            "access-cache.db.user",
            EmbeddedStack.ACCESS_CACHE_USER,
            "access-cache.group",
            group,
            "access-cache.dlq-topic",
            "access." + name + ".dlq",
            "access-cache.measure-interval",
            "200ms",
            "access-cache.watermark-topic",
            "watermarks." + name
        };
        new Migrations(Settings.load(null, Map.of(), system.settings(settings))).run();
        TestSystem.stack().createNewsUser(name);
        TestSystem.stack().createAccessCacheUser(name);
        for (var topic : List.of(usersTopic, usersTopic + ".dlq", "access." + name + ".dlq", "watermarks." + name)) {
            TestSystem.stack().kafka().createTopic(topic, 1);
        }
        application = system.start(settings);
        work();
    }

    /** Something of everything, so that series which begin with the first use are there. */
    private void work() throws Exception {
        var role = identity().role("agent");
        identity().usersOf(role, 20);
        identity().enqueue(role);
        identity()
                .sql()
                .queryForList(
                        "select identity.announce_access(array[?]::uuid[], 'AssignmentGranted')",
                        identity().user(null));
        try (var producer = new KafkaProducer<>(
                Map.<String, Object>of(
                        ProducerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        TestSystem.stack().kafka().brokers()),
                new ByteArraySerializer(),
                new ByteArraySerializer())) {
            producer.send(UserEvent.upserted(UUID.randomUUID(), 1).record(usersTopic, null))
                    .get();
        }
        port().readiness(); // the checks are metrics once they have been asked
        await().untilAsserted(() -> assertThat(List.of(
                        value("access_cache_applied_total"),
                        value("news_replica_upserted_total"),
                        value("consumer_lag"),
                        value("identity_access_consumer_lag"),
                        value("identity_relay_lanes")))
                .isEqualTo(List.of(21.0, 1.0, 0.0, 0.0, 4.0)));
        await().until(() -> value("access_cache_applied_until_timestamp_seconds") > 0);
    }

    /** The sum over all series of a metric. */
    private double value(String metric) {
        return scrape().series(metric).stream()
                .mapToDouble(Scrape.Series::value)
                .sum();
    }

    Identity identity() {
        return system.identity();
    }

    ManagementPort port() {
        return ManagementPort.of(application);
    }

    Scrape scrape() {
        return new Scrape(port().get("/observe/metrics").body());
    }

    @Override
    public void close() throws Exception {
        system.close();
    }

    /** Hands it to tests. */
    static final class Extension implements ParameterResolver {

        @Override
        public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
            return List.of(WholeInstance.class, Scrape.class)
                    .contains(parameter.getParameter().getType());
        }

        @Override
        public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
            var instance = context.getRoot()
                    .getStore(Namespace.GLOBAL)
                    .getOrComputeIfAbsent(WholeInstance.class, key -> started(), WholeInstance.class);
            assertThat(instance).isNotNull();
            return parameter.getParameter().getType() == Scrape.class ? instance.scrape() : instance;
        }

        private static WholeInstance started() {
            try {
                return new WholeInstance();
            } catch (Exception e) {
                throw new IllegalStateException("the instance does not start", e);
            }
        }
    }
}
