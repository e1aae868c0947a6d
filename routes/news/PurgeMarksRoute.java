package routes.news;

import org.apache.camel.builder.RouteBuilder;

/**
 * Retention of the marks of idempotency (OPS-07). Any age is safe: a record whose mark is gone is at most as new as its row
 * and therefore stale; the mark only says that it was the same record. Every instance purges: a step deletes what
 * another has not deleted yet.
 */
public class PurgeMarksRoute extends RouteBuilder {

    @Override
    public void configure() {
        from("timer:purge-marks?period={{news.replica.purge-interval}}&delay=1000")
                .routeId("purge-marks")
                .description("Deletes marks of idempotency past their age, in small steps")
                .setVariable("marksRetention").simple("{{news.replica.marks-retention}}", Long.class)
                .doTry()
                    .setVariable("purged", constant(1L))
                    .loopDoWhile(exchange -> exchange.getVariable("purged", Long.class) > 0
                            && !exchange.getContext().isStopping())
                        .to("sql:classpath:sql/news/replica/purge-marks.sql?dataSource=#news-db&outputType=SelectOne")
                        .setVariable("purged", body())
                        .bean("replicaObserver", "purged")
                    .end()
                .endDoTry()
                .doCatch(Exception.class)
                    // The database is away: the next period will do it.
                    .bean("replicaObserver", "purgeFailed")
                .end();
    }
}
