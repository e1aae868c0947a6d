package routes.identity;

import static org.apache.camel.builder.PredicateBuilder.and;
import static org.apache.camel.builder.PredicateBuilder.not;

import org.apache.camel.Predicate;
import org.apache.camel.builder.RouteBuilder;
import processors.failures.Backoff;
import processors.failures.TransientSqlFailure;
import processors.identity.JobPaging;

/**
 * When jobs run, and the loop of every job that works page by page: {@code direct:announcements-page}, {@code direct:expiry-page} and {@code
 * direct:role-archivals-page}, each of which is a transaction and leaves in the variable {@code chosen} how many rows it has
 * begun with, and in {@code more} whether there may be another page. What fails has changed nothing and is tried again, later and with fewer rows: an outage is waited out, and
 * what fails for a reason of its own is passed over in the end, until the next run.
 */
public class AccessJobRoute extends RouteBuilder {

    private final Predicate stopping = exchange -> exchange.getContext().isStopping();

    @Override
    public void configure() {
        from("timer:jobs-poll?period={{identity.jobs.polling-interval}}&delay=0")
                .routeId("jobs-poll")
                .description("Looks every polling interval which jobs have something to do, and wakes them")
                .doTry()
                    .to("sql:classpath:sql/identity/jobs/select-waiting.sql?dataSource=#identity-db")
                    .split(body())
                        .toD("seda:${body[job]}-wake?size=1&discardWhenFull=true")
                    .end()
                .endDoTry()
                .doCatch(Exception.class)
                    .bean("jobObserver", "pollFailed")
                .end();

        from("direct:run-job")
                .routeId("run-job")
                .description("Works through the pages of a job until there are no more")
                .errorHandler(noErrorHandler())
                .setVariable("paging", method(JobPaging.class, "upTo({{identity.fanout.batch-size}})"))
                .setVariable("more", constant(true))
                .loopDoWhile(and(variable("more").isEqualTo(true), not(stopping)))
                    .setVariable("more", constant(false))
                    .setVariable("rows", simple("${variable.paging.rows}"))
                    .setVariable("skip", simple("${variable.paging.skip}"))
                    .setVariable("chosen", constant(0))
                    .doTry()
                        .toD("direct:${variable.job.label}-page")
                        .setVariable("paging", simple("${variable.paging.succeeded}"))
                    .endDoTry()
                    // First, because onWhen() puts its condition on every doCatch() before it.
                    .doCatch(Exception.class).onWhen(new TransientSqlFailure())
                        .bean("jobObserver", "failed")
                        .setVariable("paging", simple("${variable.paging.failed(${variable.chosen})}"))
                        .to("direct:retry-job")
                    .doCatch(Exception.class)
                        .bean("jobObserver", "failed")
                        .setVariable("paging", simple("${variable.paging.refused(${variable.chosen})}"))
                        .to("direct:retry-job")
                    .end()
                .end();

        from("direct:retry-job")
                .routeId("retry-job")
                .description("After a page that failed: waits, and lets the job go on")
                .errorHandler(noErrorHandler())
                .setVariable("more", constant(true))
                .filter(simple("${variable.paging.failures} > 0"))
                    .delay(method(Backoff.class, "millis(${variable.paging.failures})")).syncDelayed()
                .end();
    }
}
