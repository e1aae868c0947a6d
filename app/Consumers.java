package app;

import app.HealthChecks.Topic;
import app.db.Databases;
import app.db.RefusedRows;
import app.db.Transactions;
import app.kafka.ConsumerClients;
import app.kafka.GroupReach;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.RuntimeCamelException;
import org.apache.camel.component.kafka.consumer.KafkaManualCommitFactory;
import org.apache.camel.main.BaseMainSupport;
import org.apache.camel.main.Main;
import org.apache.camel.main.MainListenerSupport;
import org.apache.camel.spi.HeaderFilterStrategy;
import org.apache.camel.support.service.ServiceSupport;
import org.apache.kafka.common.TopicPartition;
import org.jspecify.annotations.Nullable;
import processors.consuming.ConsumerObserver;
import processors.consuming.Isolation;
import processors.consuming.OffsetCommit;
import processors.consuming.Pauses;
import routes.consuming.DeadLetterRoute;
import routes.consuming.PatientBatchRoute;

/** What the consumers of all contexts share: their clients, and the routes around their transactions. */
final class Consumers {

    /** Short: who waits for a database that is away shall stop soon when it is asked to. */
    private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(1);

    private Consumers() {}

    /** @param contexts that this process runs; those without a consumer do not count */
    static void wire(Main main, Settings settings, MeterRegistry metrics, Set<Context> contexts) {
        var groups = new TreeMap<String, String>();
        for (var context : contexts) {
            switch (context) {
                case IDENTITY -> {}
                case NEWS -> reach(main, settings, context, settings.authorReplica(), groups);
                case ACCESS_CACHE -> reach(main, settings, context, settings.accessCache(), groups);
            }
        }
        if (groups.isEmpty()) {
            return;
        }
        var observer = new ConsumerObserver(metrics, groups);
        main.bind("consumerObserver", observer);
        main.bind(
                "consumerClients",
                new ConsumerClients(
                        settings.brokers(),
                        settings.kafkaClient(),
                        observer::kafkaFailed,
                        (consumer, partitions) -> missed(main, consumer, partitions)));
        main.bind("offsetCommits", (KafkaManualCommitFactory) OffsetCommit::new);
        main.bind("isolation", new Isolation(new RefusedRows()));
        main.bind("pauses", new Pauses());
        main.bind("noHeaders", new NoHeaders());
        main.configure().addRoutesBuilder(PatientBatchRoute.class, DeadLetterRoute.class);
    }

    /** Binds {@code <consumer>-reach}, which knows how far the consumer's group is, and notes its group. */
    private static void reach(
            Main main, Settings settings, Context context, Settings.Consumer consumer, Map<String, String> groups) {
        var reach = new GroupReach(settings.brokers(), settings.kafkaClient(), consumer.topic(), consumer.group());
        main.bind(context.consumer() + "-reach", reach);
        closeLast(main, reach);
        groups.put(context.consumer(), consumer.group());
    }

    /** A consumer of ours has a route for it; it fails while the database is away. */
    private static void missed(Main main, String consumer, Set<TopicPartition> partitions) {
        var template = main.getCamelContext().createProducerTemplate();
        template.sendBodyAndProperty("direct:" + consumer + "-missed", partitions, "consumer", consumer);
    }

    /**
     * Binds {@code <name>-db}, its transactions {@code <name>-tx} and their parts {@code <name>-savepoint}; readiness asks
     * for the database, and it is closed after the routes have stopped.
     */
    static void database(Main main, Settings settings, String name, Settings.Database server, MeterRegistry metrics) {
        var database = Databases.pool(name, server, CONNECTION_TIMEOUT);
        // While it keeps idle connections ready, Hikari tries ever more seldom to open one, in the end every 5 s: after
        // a long outage we would be that late. Without, it tries when somebody asks.
        database.setMinimumIdle(0);
        database.setMetricRegistry(metrics);
        main.bind(name + "-db", database);
        main.bind(name + "-tx", Transactions.policy(database));
        main.bind(name + "-savepoint", Transactions.savepoint(database));
        closeLast(main, database);
        onConfigured(main, camel -> HealthChecks.database(camel, settings, name, database));
    }

    /** Closes what routes use after they have stopped. */
    static void closeLast(Main main, AutoCloseable used) {
        onConfigured(
                main,
                camel -> camel.addService(new ServiceSupport() {
                    @Override
                    protected void doStop() throws Exception {
                        used.close();
                    }
                }));
    }

    /** What readiness asks of a consumer: its topics, and that Kafka lets it read. */
    static void health(Main main, Settings settings, String consumer, Topic... topics) {
        onConfigured(main, camel -> {
            for (var topic : topics) {
                HealthChecks.topic(camel, settings, topic);
            }
            var clients = camel.getRegistry().lookupByNameAndType("consumerClients", ConsumerClients.class);
            HealthChecks.consumer(camel, consumer, () -> clients.failure(consumer));
        });
    }

    private interface Attachment {
        void attach(CamelContext camel) throws Exception;
    }

    private static void onConfigured(Main main, Attachment attachment) {
        main.addMainListener(new MainListenerSupport() {
            @Override
            public void afterConfigure(BaseMainSupport configured) {
                try {
                    attachment.attach(configured.getCamelContext());
                } catch (Exception e) {
                    throw RuntimeCamelException.wrapRuntimeCamelException(e);
                }
            }
        });
    }

    /** Headers go as they came, in one object; as headers of an exchange they would lose duplicates and bytes. */
    private static final class NoHeaders implements HeaderFilterStrategy {

        @Override
        public boolean applyFilterToCamelHeaders(String name, @Nullable Object value, Exchange exchange) {
            return true;
        }

        @Override
        public boolean applyFilterToExternalHeaders(String name, @Nullable Object value, Exchange exchange) {
            return true;
        }
    }
}
