package app;

import app.HealthChecks.Topic;
import app.db.Databases;
import app.db.Transactions;
import app.kafka.ConsumerClients;
import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.OptionalInt;
import org.apache.camel.CamelContext;
import org.apache.camel.RuntimeCamelException;
import org.apache.camel.main.BaseMainSupport;
import org.apache.camel.main.Main;
import org.apache.camel.main.MainListenerSupport;
import org.apache.camel.support.service.ServiceSupport;
import processors.news.ReplicaObserver;
import routes.news.AuthorReplicaRoute;
import routes.news.PurgeMarksRoute;

/** The news context: its routes, and everything that they name. */
final class NewsContext {

    /** The author replica among the consumers. */
    static final String CONSUMER = "author-replica";

    /** Takes a list of {@link processors.consuming.Received}, wherever they come from. */
    static final String HANDLER = "direct:author-replica-handle";

    /** What must not start where only dead letters are replayed. */
    static final String ROUTES_THAT_START_BY_THEMSELVES = "author-replica,purge-marks";

    /** Short: who waits for a database that is away shall stop soon when it is asked to. */
    private static final Duration CONNECTION_TIMEOUT = Duration.ofSeconds(1);

    private final HikariDataSource database;

    private NewsContext(Settings settings) {
        database = Databases.pool("news", settings.newsDatabase(), CONNECTION_TIMEOUT);
        // While it keeps idle connections ready, Hikari tries ever more seldom to open one, in the end every 5 s: after
        // a
        // long outage we would be that late. Without, it tries when somebody asks.
        database.setMinimumIdle(0);
    }

    static void wire(Main main, Settings settings, MeterRegistry metrics) {
        var context = new NewsContext(settings);
        main.bind("news-db", context.database);
        main.bind("news-tx", Transactions.policy(context.database));
        main.bind("news-savepoint", Transactions.savepoint(context.database));
        main.bind("replicaObserver", new ReplicaObserver(metrics));
        main.configure().addRoutesBuilder(AuthorReplicaRoute.class, PurgeMarksRoute.class);
        main.addMainListener(new MainListenerSupport() {
            @Override
            public void afterConfigure(BaseMainSupport configured) {
                context.attach(configured.getCamelContext(), settings);
            }
        });
    }

    /** What lives and dies with the routes: it is stopped after them. */
    private void attach(CamelContext camel, Settings settings) {
        try {
            camel.addService(new ServiceSupport() {
                @Override
                protected void doStop() {
                    database.close();
                }
            });
        } catch (Exception e) {
            throw RuntimeCamelException.wrapRuntimeCamelException(e);
        }
        var replica = settings.authorReplica();
        var clients = camel.getRegistry().lookupByNameAndType("consumerClients", ConsumerClients.class);
        HealthChecks.database(camel, "news", database);
        HealthChecks.topic(
                camel, settings, new Topic("users-topic", replica.topic(), OptionalInt.empty(), "nothing comes"));
        HealthChecks.topic(
                camel,
                settings,
                new Topic(
                        "users-dead-letter-topic",
                        replica.deadLetterTopic(),
                        OptionalInt.empty(),
                        "a record that cannot be applied would stop its partition"));
        HealthChecks.consumer(camel, CONSUMER, () -> clients.failure(CONSUMER));
    }
}
