package app;

import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.apache.camel.CamelContext;
import org.apache.camel.health.HealthCheckRegistry;
import org.apache.camel.health.HealthCheckResultBuilder;
import org.apache.camel.impl.health.AbstractHealthCheck;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import processors.failures.Failures;

/**
 * What readiness asks (OPS-04): the databases, Kafka, the topics. None of it is liveness: a process that waits for one of
 * them is alive, and restarting it would help nobody.
 */
final class HealthChecks {

    /** The group of the checks below, beside Camel's own. */
    static final String GROUP = "access";

    private HealthChecks() {}

    /**
     * A topic that must exist.
     *
     * @param partitions what the contract says, if it says anything
     * @param meanwhile what happens while it is missing
     */
    record Topic(String id, String name, OptionalInt partitions, String meanwhile) {}

    static void database(CamelContext camel, String name, DataSource database) {
        HealthCheckRegistry.get(camel).register(new DatabaseCheck(name, database));
    }

    static void topic(CamelContext camel, Settings settings, Topic topic) {
        HealthCheckRegistry.get(camel).register(new TopicCheck(settings, topic));
    }

    /** @param failure why the consumer cannot read at present; null when it can */
    static void consumer(CamelContext camel, String name, Supplier<@Nullable String> failure) {
        HealthCheckRegistry.get(camel).register(new ConsumerCheck(name, failure));
    }

    private abstract static class ReadinessCheck extends AbstractHealthCheck {

        ReadinessCheck(String id) {
            super(GROUP, id);
        }

        @Override
        public boolean isLiveness() {
            return false;
        }
    }

    private static final class DatabaseCheck extends ReadinessCheck {

        private final String name;
        private final DataSource database;

        DatabaseCheck(String name, DataSource database) {
            super(name + "-database");
            this.name = name;
            this.database = database;
        }

        @Override
        protected void doCall(HealthCheckResultBuilder result, Map<String, Object> options) {
            try (var connection = database.getConnection()) {
                if (connection.isValid(2)) {
                    result.up();
                } else {
                    result.down().message("the " + name + " database does not answer");
                }
            } catch (Exception e) {
                result.down().message("the " + name + " database cannot be reached: " + Failures.describe(e));
            }
        }
    }

    private static final class ConsumerCheck extends ReadinessCheck {

        private final Supplier<@Nullable String> failure;

        ConsumerCheck(String name, Supplier<@Nullable String> failure) {
            super(name + "-consumer");
            this.failure = failure;
        }

        @Override
        protected void doCall(HealthCheckResultBuilder result, Map<String, Object> options) {
            var present = failure.get();
            if (present == null) {
                result.up();
            } else {
                result.down().message("Kafka lets nobody read: " + present);
            }
        }
    }

    private static final class TopicCheck extends ReadinessCheck {

        private static final Logger LOG = LoggerFactory.getLogger("access.relay");
        private static final int PATIENCE_MILLIS = 3_000;

        private final Topic topic;
        private final Map<String, Object> client;
        private boolean warned;

        TopicCheck(Settings settings, Topic topic) {
            super(topic.id());
            this.topic = topic;
            client = new HashMap<>(settings.kafkaClient());
            client.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, settings.brokers());
            client.put(AdminClientConfig.CLIENT_ID_CONFIG, "access-readiness");
            client.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, PATIENCE_MILLIS);
            client.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, PATIENCE_MILLIS);
        }

        @Override
        protected void doCall(HealthCheckResultBuilder result, Map<String, Object> options) {
            // A client for each probe: one that is kept would reconnect, and log, for as long as Kafka is away.
            var admin = Admin.create(client);
            try {
                int partitions = admin.describeTopics(
                                List.of(topic.name()), new DescribeTopicsOptions().timeoutMs(PATIENCE_MILLIS))
                        .allTopicNames()
                        .get(PATIENCE_MILLIS + 1_000, TimeUnit.MILLISECONDS)
                        .get(topic.name())
                        .partitions()
                        .size();
                warnOnce(partitions);
                result.up().detail("partitions", partitions);
            } catch (ExecutionException e) {
                result.down()
                        .message(
                                e.getCause() instanceof UnknownTopicOrPartitionException
                                        ? "topic " + topic.name() + " does not exist: " + topic.meanwhile()
                                        : "Kafka cannot be reached: " + Failures.describe(e));
            } catch (TimeoutException e) {
                result.down().message("Kafka does not answer");
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                result.down().message("stopping");
            } finally {
                admin.close(Duration.ZERO);
            }
        }

        private synchronized void warnOnce(int partitions) {
            if (topic.partitions().isPresent() && topic.partitions().getAsInt() != partitions && !warned) {
                warned = true;
                LOG.atWarn()
                        .addKeyValue("topic", topic.name())
                        .addKeyValue("partitions", partitions)
                        .addKeyValue("contract", topic.partitions().getAsInt())
                        .log("topic has another number of partitions");
            }
        }
    }
}
