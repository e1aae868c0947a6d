package routes.news;

import java.util.List;
import org.apache.camel.builder.RouteBuilder;
import processors.consuming.Acknowledge;
import processors.consuming.Received;
import processors.news.ReplicaBatch;
import processors.news.ReplicaSteps;
import routes.consuming.KafkaBatches;

/**
 * The author replica (spec news-identity-users.md): users' events become rows of {@code news.author_replicas}. A poll is
 * one transaction; its offsets are committed when everything in it is stored, skipped or a dead letter that Kafka has
 * acknowledged, and not before (REP-12). How long it waits for a database that is away, and how it finds a record that the
 * database refuses, is {@link routes.consuming.PatientBatchRoute}.
 */
public class AuthorReplicaRoute extends RouteBuilder {

    @Override
    public void configure() {
        from(KafkaBatches.of("news.replica", "author-replica"))
                .routeId("author-replica")
                .description("Receives users' events, and acknowledges them when they are handled")
                .errorHandler(noErrorHandler())
                .setVariable("consumer", constant("author-replica"))
                .setVariable("poll", body())
                .doTry()
                    .setBody(method(Received.class, "ofPoll"))
                    .to("direct:author-replica-handle")
                    .process(new Acknowledge())
                    .bean("pauses", "reset")
                .endDoTry()
                .doCatch(Exception.class)
                    .to("direct:consume-again")
                .end();

        from("direct:author-replica-handle")
                .routeId("author-replica-handle")
                .description("Handles records, from the topic or replayed ones: stores them, and sends on what can never be stored")
                .errorHandler(noErrorHandler())
                .setVariable("received", body())
                .setVariable("consumer", constant("author-replica"))
                .setVariable("maxPollInterval").simple("{{news.replica.max-poll-interval}}", Long.class)
                .to("direct:consume-patiently")
                .bean("replicaObserver", "committed")
                .setBody(simple("${variable.batch.deadLetters}"))
                .filter(simple("${body.size} > 0"))
                    .setVariable("deadLetterTopic").simple("{{news.replica.dlq-topic}}")
                    .to("direct:dead-letter")
                    .bean("replicaObserver", "deadLettered")
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
