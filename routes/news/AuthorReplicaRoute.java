package routes.news;

import java.util.List;
import processors.news.ReplicaBatch;
import processors.news.ReplicaSteps;
import routes.consuming.ConsumerRoute;

/**
 * The author replica (spec news-identity-users.md): users' events become rows of {@code news.author_replicas}. What is the
 * same for every consumer is {@link ConsumerRoute}.
 */
public class AuthorReplicaRoute extends ConsumerRoute {

    @Override
    public void configure() {
        receive("news.replica", "author-replica", "replicaObserver");

        // A row that is older than it could be is all there is, until the user's next event.
        whenMissed("author-replica")
                .setVariable("missed", body())
                .to("sql:classpath:sql/news/replica/has-replicas.sql?dataSource=#news-db&outputType=SelectOne")
                .filter(body().isNotNull())
                    .setBody(variable("missed"))
                    .bean("consumerObserver", "missed")
                .end();

        from("direct:author-replica-batch")
                .routeId("author-replica-batch")
                .description("One transaction: filter duplicates, check, filter stale, store; again for what a rival overtook")
                .errorHandler(noErrorHandler())
                .transacted("news-tx")
                .setVariable("batch").method(ReplicaBatch.class, "of(${variable.received})")
                .loopDoWhile(simple("${variable.batch.open}"))
                    .to("sql:classpath:sql/news/replica/select-marks.sql?dataSource=#news-db"
                            + "&outputClass=processors.news.ReplicaRows$Mark")
                    .bean(ReplicaSteps.class, "filterDuplicates")
                    .bean(ReplicaSteps.class, "check")
                    .to("sql:classpath:sql/news/replica/select-versions.sql?dataSource=#news-db"
                            + "&outputClass=processors.news.ReplicaRows$Version")
                    .bean(ReplicaSteps.class, "compare")
                    .to("direct:consume-in-parts")
                .end()
                .to("sql:classpath:sql/news/replica/insert-marks.sql?dataSource=#news-db");

        from("direct:author-replica-store")
                .routeId("author-replica-store")
                .description("Filters what is stale, and writes the rest; under a savepoint, for the database may refuse it")
                .errorHandler(noErrorHandler())
                .transacted("news-savepoint")
                .setVariable("decision", method(ReplicaSteps.class, "filterStale"))
                .setBody(constant(List.of()))
                .filter(simple("${variable.decision.writes.size} > 0"))
                    .setVariable("rows").simple("${variable.decision.rows}")
                    .to("sql:classpath:sql/news/replica/write-replicas.sql?dataSource=#news-db"
                            + "&outputClass=processors.news.ReplicaRows$Written")
                .end()
                .bean(ReplicaSteps.class, "settle");
    }
}
