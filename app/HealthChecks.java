package app;

import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.sql.SQLException;
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
import org.apache.camel.RuntimeCamelException;
import org.apache.camel.health.HealthCheckRegistry;
import org.apache.camel.health.HealthCheckResultBuilder;
import org.apache.camel.impl.health.AbstractHealthCheck;
import org.apache.camel.support.service.ServiceSupport;
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
 * What readiness asks (OPS-04): the databases, Kafka, the topics, and our rights (cases.md 37). None of it is liveness: a
 * process that waits for one of them is alive, and restarting it would help nobody.
 *
 * <p>No probe waits for a server. The management port answers its requests one after the other, so that a probe of liveness
 * would wait behind those of readiness, and a process be killed because Kafka is away. So each check asks by itself, again
 * and again, and a probe hears its last answer.
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

    static void database(CamelContext camel, Settings settings, String name, DataSource database) {
        register(camel, settings, new DatabaseCheck(name, database));
    }

    static void topic(CamelContext camel, Settings settings, Topic topic) {
        register(camel, settings, new TopicCheck(settings, topic));
    }

    /** @param ids the transactional ids that we must be let use */
    static void transactions(CamelContext camel, Settings settings, Collection<String> ids) {
        register(camel, settings, new TransactionsCheck(settings, ids));
    }

    /** @param failure why the consumer cannot read at present; null when it can */
    static void consumer(CamelContext camel, String name, Supplier<@Nullable String> failure) {
        register(camel, new ConsumerCheck(name, failure));
    }

    private static void register(CamelContext camel, Settings settings, ServerCheck check) {
        register(camel, check);
        var looks =
                camel.getExecutorServiceManager().newSingleThreadScheduledExecutor(check, "readiness-" + check.getId());
        looks.scheduleWithFixedDelay(
                check::look, 0, settings.readinessInterval().toMillis(), TimeUnit.MILLISECONDS);
        try {
            camel.addService(new ServiceSupport() {
                @Override
                protected void doStop() {
                    camel.getExecutorServiceManager().shutdownNow(looks);
                    check.close();
                }
            });
        } catch (Exception e) {
            throw RuntimeCamelException.wrapRuntimeCamelException(e);
        }
    }

    /** What it would answer is a metric too: an alert cannot ask for readiness. */
    private static void register(CamelContext camel, ReadinessCheck check) {
        HealthCheckRegistry.get(camel).register(check);
        Gauge.builder("instance_check_up", check, ReadinessCheck::up)
                .description(
                        "The last answer of a check of readiness: 1 is up, 0 is down; NaN: it has not answered yet")
                .tag("check", check.getId())
                .register(camel.getRegistry().findSingleByType(MeterRegistry.class));
    }

    private abstract static class ReadinessCheck extends AbstractHealthCheck {

        ReadinessCheck(String id) {
            super(GROUP, id);
        }

        abstract double up();

        @Override
        public boolean isLiveness() {
            return false;
        }
    }

    /** Asks a server, which may take seconds. */
    private abstract static class ServerCheck extends ReadinessCheck {

        /** Nobody is asked for so long without giving up: an older answer says nothing of now. */
        private static final Duration OLDEST = Duration.ofMinutes(1);

        private volatile @Nullable Answer last;

        private record Answer(Result result, long nanos) {

            boolean isOld() {
                return System.nanoTime() - nanos > OLDEST.toNanos();
            }
        }

        ServerCheck(String id) {
            super(id);
        }

        /** Asks, and says how it is. */
        abstract void ask(HealthCheckResultBuilder result);

        /** It will not be asked again. */
        void close() {}

        final void look() {
            var result = HealthCheckResultBuilder.on(this);
            try {
                ask(result);
            } catch (RuntimeException e) {
                result.down().message(getId() + " cannot be asked: " + Failures.describe(e));
            }
            last = new Answer(result.build(), System.nanoTime());
        }

        @Override
        protected final void doCall(HealthCheckResultBuilder result, Map<String, Object> options) {
            var answer = last;
            if (answer == null) {
                result.down().message(getId() + " has not answered yet");
            } else if (answer.isOld()) {
                result.down().message(getId() + " has not answered for more than " + OLDEST.toSeconds() + " s");
            } else {
                result.state(answer.result().getState()).details(answer.result().getDetails());
                answer.result().getMessage().ifPresent(result::message);
            }
        }

        @Override
        final double up() {
            var answer = last;
            return answer == null ? Double.NaN : answer.result().getState() == State.UP && !answer.isOld() ? 1 : 0;
        }
    }

    private static final class DatabaseCheck extends ServerCheck {

        private final String name;
        private final DataSource database;

        DatabaseCheck(String name, DataSource database) {
            super(name + "-database");
            this.name = name;
            this.database = database;
        }

        @Override
        void ask(HealthCheckResultBuilder result) {
            try (var connection = database.getConnection()) {
                if (connection.isValid(2)) {
                    result.up();
                } else {
                    result.down().message("the " + name + " database does not answer");
                }
            } catch (SQLException e) {
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

        @Override
        double up() {
            return failure.get() == null ? 1 : 0;
        }
    }

    /** What is asked of Kafka, by a client that is kept for as long as it hears answers. */
    private abstract static class KafkaCheck extends ServerCheck {

        static final int PATIENCE_MILLIS = 3_000;

        private final Map<String, Object> client;
        private @Nullable Admin admin;

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
        final synchronized void ask(HealthCheckResultBuilder result) {
            try {
                if (admin == null) {
                    admin = Admin.create(client);
                }
                ask(admin, result);
                return;
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
            // One that is kept would reconnect, and log, for as long as Kafka is away.
            close();
        }

        @Override
        final synchronized void close() {
            if (admin != null) {
                admin.close(Duration.ZERO);
                admin = null;
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

        private void warnOnce(int partitions) {
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
