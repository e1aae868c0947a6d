package app;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Collection;
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
import org.apache.kafka.clients.admin.DescribeTransactionsOptions;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.AuthenticationException;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.errors.TransactionalIdAuthorizationException;
import org.apache.kafka.common.errors.TransactionalIdNotFoundException;
import org.apache.kafka.common.errors.UnknownTopicOrPartitionException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import processors.failures.Failures;

/**
 * What readiness asks (OPS-04): the databases, Kafka, the topics, and our rights (cases.md 37). None of it is liveness: a process that waits for one of
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
     * @param right which we need to it: READ or WRITE
     * @param meanwhile what happens while it is missing
     */
    record Topic(String id, String name, OptionalInt partitions, AclOperation right, String meanwhile) {}

    static void database(CamelContext camel, String name, DataSource database) {
        register(camel, new DatabaseCheck(name, database));
    }

    static void topic(CamelContext camel, Settings settings, Topic topic) {
        register(camel, new TopicCheck(settings, topic));
    }

    /** @param ids the transactional ids that we must be let use */
    static void transactions(CamelContext camel, Settings settings, Collection<String> ids) {
        register(camel, new TransactionsCheck(settings, ids));
    }

    /** @param failure why the consumer cannot read at present; null when it can */
    static void consumer(CamelContext camel, String name, Supplier<@Nullable String> failure) {
        register(camel, new ConsumerCheck(name, failure));
    }

    /** Its last answer is a metric too: an alert cannot ask for readiness. */
    private static void register(CamelContext camel, ReadinessCheck check) {
        HealthCheckRegistry.get(camel).register(check);
        var metrics = camel.getRegistry().findSingleByType(MeterRegistry.class);
        Gauge.builder("instance_check_up", check, asked -> asked.answer)
                .description("The last answer of a check of readiness: 1 is up, 0 is down; NaN: nobody has asked yet")
                .tag("check", check.getId())
                .register(metrics);
    }

    private abstract static class ReadinessCheck extends AbstractHealthCheck {

        private volatile double answer = Double.NaN;

        ReadinessCheck(String id) {
            super(GROUP, id);
        }

        @Override
        public Result call(Map<String, Object> options) {
            var result = super.call(options);
            answer = result.getState() == State.UP ? 1 : 0;
            return result;
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

    /** What is asked of Kafka, by a client for each probe: one that is kept would reconnect, and log, while Kafka is away. */
    private abstract static class KafkaCheck extends ReadinessCheck {

        static final int PATIENCE_MILLIS = 3_000;

        private final Map<String, Object> client;

        KafkaCheck(String id, Settings settings) {
            super(id);
            client = new HashMap<>(settings.kafkaClient());
            client.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, settings.brokers());
            client.put(AdminClientConfig.CLIENT_ID_CONFIG, "access-readiness");
            client.put(AdminClientConfig.REQUEST_TIMEOUT_MS_CONFIG, PATIENCE_MILLIS);
            client.put(AdminClientConfig.DEFAULT_API_TIMEOUT_MS_CONFIG, PATIENCE_MILLIS);
        }

        /** @throws ExecutionException with Kafka's answer, where it is no */
        abstract void ask(Admin admin, HealthCheckResultBuilder result)
                throws ExecutionException, TimeoutException, InterruptedException;

        /** What follows from Kafka's answer; null where that is for everybody to say. */
        abstract @Nullable String explain(@Nullable Throwable answer);

        @Override
        protected final void doCall(HealthCheckResultBuilder result, Map<String, Object> options) {
            try {
                var admin = Admin.create(client);
                try {
                    ask(admin, result);
                } finally {
                    admin.close(Duration.ZERO);
                }
            } catch (ExecutionException e) {
                var explained = explain(e.getCause());
                result.down().message(explained != null ? explained : "Kafka " + withoutAnswer(e.getCause()));
            } catch (KafkaException e) {
                result.down().message("no client of Kafka can be made: " + Failures.describe(e));
            } catch (TimeoutException e) {
                result.down().message("Kafka does not answer");
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                result.down().message("stopping");
            }
        }

        private static String withoutAnswer(@Nullable Throwable failure) {
            return (failure instanceof AuthenticationException ? "and we do not authenticate: " : "cannot be reached: ")
                    + Failures.describe(failure);
        }
    }

    private static final class TransactionsCheck extends KafkaCheck {

        private final Collection<String> ids;

        TransactionsCheck(Settings settings, Collection<String> ids) {
            super("transactions", settings);
            this.ids = ids;
        }

        @Override
        void ask(Admin admin, HealthCheckResultBuilder result)
                throws ExecutionException, TimeoutException, InterruptedException {
            var answers = admin.describeTransactions(ids, new DescribeTransactionsOptions().timeoutMs(PATIENCE_MILLIS));
            for (var id : ids) {
                try {
                    answers.description(id).get(PATIENCE_MILLIS + 1_000, TimeUnit.MILLISECONDS);
                } catch (ExecutionException e) {
                    if (!(e.getCause() instanceof TransactionalIdNotFoundException)) {
                        throw e;
                    }
                    // Nobody has used it so far; that we may is what counts.
                }
            }
            result.up();
        }

        @Override
        @Nullable
        String explain(@Nullable Throwable answer) {
            return answer instanceof TransactionalIdAuthorizationException
                    ? "no right to WRITE as the transactional ids " + ids + ": events wait in the outbox"
                    : null;
        }
    }

    private static final class TopicCheck extends KafkaCheck {

        private static final Logger LOG = LoggerFactory.getLogger("access.relay");

        private final Topic topic;
        private boolean warned;

        TopicCheck(Settings settings, Topic topic) {
            super(topic.id(), settings);
            this.topic = topic;
        }

        @Override
        void ask(Admin admin, HealthCheckResultBuilder result)
                throws ExecutionException, TimeoutException, InterruptedException {
            var found = admin.describeTopics(
                            List.of(topic.name()),
                            new DescribeTopicsOptions()
                                    .timeoutMs(PATIENCE_MILLIS)
                                    .includeAuthorizedOperations(true))
                    .allTopicNames()
                    .get(PATIENCE_MILLIS + 1_000, TimeUnit.MILLISECONDS)
                    .get(topic.name());
            int partitions = found.partitions().size();
            warnOnce(partitions);
            result.detail("partitions", partitions);
            // Null: a broker that does not say.
            if (found.authorizedOperations() == null
                    || found.authorizedOperations().contains(topic.right())) {
                result.up();
            } else {
                result.down().message(noRight());
            }
        }

        @Override
        @Nullable
        String explain(@Nullable Throwable answer) {
            return answer instanceof UnknownTopicOrPartitionException
                    ? "topic " + topic.name() + " does not exist: " + topic.meanwhile()
                    : answer instanceof TopicAuthorizationException ? noRight() : null;
        }

        private String noRight() {
            return "no right to " + topic.right() + " topic " + topic.name() + ": " + topic.meanwhile();
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
