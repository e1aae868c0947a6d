package app;

import app.HealthChecks.Topic;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.OptionalInt;
import org.apache.camel.main.Main;
import org.apache.kafka.common.acl.AclOperation;
import processors.news.ReplicaObserver;
import routes.news.AuthorReplicaRoute;
import routes.news.PurgeMarksRoute;

/** The news context: its routes, and everything that they name. */
final class NewsContext {

    private NewsContext() {}

    static void wire(Main main, Settings settings, MeterRegistry metrics) {
        var replica = settings.authorReplica();
        main.bind("replicaObserver", new ReplicaObserver(metrics));
        main.configure().addRoutesBuilder(AuthorReplicaRoute.class, PurgeMarksRoute.class);
        Consumers.database(main, settings, "news", settings.newsDatabase(), metrics);
        Consumers.health(
                main,
                settings,
                Context.NEWS.consumer(),
                new Topic("users-topic", replica.topic(), OptionalInt.empty(), AclOperation.READ, "nothing comes"),
                new Topic(
                        "users-dead-letter-topic",
                        replica.deadLetterTopic(),
                        OptionalInt.empty(),
                        AclOperation.WRITE,
                        "a record that cannot be applied would stop its partition"));
    }
}
