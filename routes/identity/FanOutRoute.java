package routes.identity;

import static org.apache.camel.builder.PredicateBuilder.and;
import static org.apache.camel.builder.PredicateBuilder.not;
import static processors.identity.FanOutRun.ATTEMPT_FAILED;
import static processors.identity.FanOutRun.COMPLETED;
import static processors.identity.FanOutRun.FAILED;
import static processors.identity.FanOutRun.HANDED_BACK;
import static processors.identity.FanOutRun.LEASE_LOST;
import static processors.identity.FanOutRun.WORKING;

import java.util.UUID;
import org.apache.camel.Predicate;
import org.apache.camel.builder.RouteBuilder;
import processors.failures.Backoff;
import processors.failures.TransientSqlFailure;
import processors.identity.FanOutRun;
import processors.identity.LeaseLostException;

/**
 * AccessFanOutJob (spec access-fan-out-job.md, "Алгоритм"): leases tasks until the queue is empty and walks each of them
 * page by page. What the worker does with the task at hand follows from the variable {@code run}, a
 * {@link processors.identity.FanOutRun}; what happens to a page is {@link FanOutPageRoute}.
 */
public class FanOutRoute extends RouteBuilder {

    private final Predicate stopping = exchange -> exchange.getContext().isStopping();
    private final Predicate working = variable("run").isEqualTo(WORKING);
    /** Whether the variable {@code lease} is what the database holds; false after a failure that left it open. */
    private final Predicate held = variable("held").isEqualTo(true);

    @Override
    public void configure() {
        from("seda:fan-out-wake?size=1&pollTimeout=100")
                .routeId("fan-out")
                .description("A run: leases tasks one after the other until the queue is empty")
                .setVariable("jobRunId", UUID::randomUUID)
                .setVariable("maxAttempts").simple("{{identity.fanout.max-attempts}}", Integer.class)
                .setVariable("leaseMillis").simple("{{identity.fanout.max-lease-duration}}", Long.class)
                .setVariable("batchSize").simple("{{identity.fanout.batch-size}}", Integer.class)
                .setVariable("maxOutboxRows").simple("{{identity.fanout.max-outbox-rows}}", Integer.class)
                .doTry()
                    .to("direct:fan-out-lease")
                    .filter(variable("lease").isNotNull())
                        .bean("fanOutObserver", "jobStarted")
                    .end()
                    .loopDoWhile(variable("lease").isNotNull())
                        .to("direct:fan-out-task")
                        .to("direct:fan-out-lease")
                    .end()
                    .bean("fanOutObserver", "runSucceeded")
                .endDoTry()
                .doCatch(Exception.class)
                    .bean("fanOutObserver", "runFailed")
                .end();

        from("direct:fan-out-lease")
                .routeId("fan-out-lease")
                .description("Fails what has used up its attempts, then leases the oldest task that is free")
                .errorHandler(noErrorHandler())
                .removeVariable("lease")
                .filter(not(stopping))
                    .to("sql:classpath:sql/identity/fanout/fail-exhausted-tasks.sql?dataSource=#identity-db"
                            + "&outputClass=processors.identity.Lease")
                    .split(body())
                        .bean("fanOutObserver", "exhausted")
                    .end()
                    .doTry()
                        .to("direct:fan-out-take")
                        .setVariable("held", constant(true))
                    .endDoTry()
                    // The answer to the commit was lost: the task may be ours.
                    .doCatch(Exception.class).onWhen(and(variable("lease").isNotNull(), new TransientSqlFailure()))
                        .bean("fanOutObserver", "transientFailure")
                        .setVariable("held", constant(false))
                    .end()
                .end();

        from("direct:fan-out-take")
                .routeId("fan-out-take")
                .description("Leases the oldest free task, and knows the lease before it commits")
                .errorHandler(noErrorHandler())
                .transacted("identity-tx")
                .to("sql:classpath:sql/identity/fanout/lease-task.sql?dataSource=#identity-db"
                        + "&outputType=SelectOne&outputClass=processors.identity.Lease")
                .setVariable("lease", body());

        from("direct:fan-out-renew")
                .routeId("fan-out-renew")
                .description("Renews the lease, and knows the new expiry before it commits: a lost answer loses no lease")
                .errorHandler(noErrorHandler())
                .transacted("identity-tx")
                .to("sql:classpath:sql/identity/fanout/lock-lease.sql?dataSource=#identity-db"
                        + "&outputType=SelectOne&outputClass=processors.identity.Lease")
                .filter(body().isNull())
                    .throwException(LeaseLostException.class, "task ${variable.lease.taskId}")
                .end()
                .setVariable("lease", body())
                .filter(simple("${variable.lease.completed} == false"))
                    .to("sql:classpath:sql/identity/fanout/renew-lease.sql?dataSource=#identity-db"
                            + "&outputType=SelectOne&outputClass=processors.identity.Lease")
                    .setVariable("checkpoint", body())
                .end();

        from("direct:fan-out-task")
                .routeId("fan-out-task")
                .description("Walks one leased task page by page until it is done, lost, failed or handed back")
                .errorHandler(noErrorHandler())
                .setVariable("run", constant(WORKING))
                .setVariable("failures", constant(0))
                .setVariable("leasedAt", simple("${variable.lease.asOf}"))
                .removeVariable("checkpoint")
                .removeVariable("stuckSince")
                .bean("fanOutObserver", "dequeued")
                .loopDoWhile(and(working, not(stopping)))
                    .doTry()
                        .filter(not(held))
                            .to("direct:fan-out-recover")
                        .end()
                        .filter(and(working, held))
                            .to("direct:fan-out-step")
                        .end()
                    .endDoTry()
                    // First, because onWhen() puts its condition on every doCatch() before it.
                    .doCatch(Exception.class).onWhen(new TransientSqlFailure())
                        .bean("fanOutObserver", "transientFailure")
                        .setVariable("held", constant(false))
                    .doCatch(LeaseLostException.class)
                        .setVariable("run", constant(LEASE_LOST))
                    .doCatch(Exception.class)
                        .bean("fanOutObserver", "attemptFailed")
                        .to("direct:fan-out-fail")
                    .end()
                .end()
                .filter(working)
                    .to("direct:fan-out-hand-back")
                .end()
                .bean("fanOutObserver", "finished")
                .setBody(constant(null));

        from("direct:fan-out-step")
                .routeId("fan-out-step")
                .description("One page of a task, as soon as the outbox has room for it, and consumers are near")
                .errorHandler(noErrorHandler())
                .filter(method("pacing", "mustWait"))
                    .to("direct:fan-out-wait-for-consumers")
                .end()
                .filter(method("backPressure", "isDue"))
                    .to("direct:fan-out-wait-for-relay")
                .end()
                .to("direct:fan-out-page")
                .setVariable("lease", variable("checkpoint"))
                .setVariable("failures", constant(0))
                .removeVariable("stuckSince")
                .bean("fanOutObserver", "pageCommitted")
                .filter(simple("${variable.lease.completed}"))
                    .setVariable("run", constant(COMPLETED))
                .end();

        from("direct:fan-out-wait-for-relay")
                .routeId("fan-out-wait-for-relay")
                .description("Back-pressure: while the outbox is full, keeps the lease and waits for the relay")
                .errorHandler(noErrorHandler())
                .to("sql:classpath:sql/identity/fanout/is-outbox-full.sql?dataSource=#identity-db&outputType=SelectOne")
                .loopDoWhile(and(body().isEqualTo(true), not(stopping)))
                    .bean("fanOutObserver", "waitingForRelay")
                    .delay(250).syncDelayed()
                    .to("direct:fan-out-renew")
                    .setVariable("lease", variable("checkpoint"))
                    .to("sql:classpath:sql/identity/fanout/is-outbox-full.sql?dataSource=#identity-db"
                            + "&outputType=SelectOne")
                .end();

        from("direct:fan-out-wait-for-consumers")
                .routeId("fan-out-wait-for-consumers")
                .description("Pacing: while a consumer is far behind, waits, so that revokes need not; a second for each page at most")
                .errorHandler(noErrorHandler())
                .setVariable("pauses", constant(0))
                .loopDoWhile(and(method("pacing", "mustWait"), variable("pauses").isLessThan(4), not(stopping)))
                    .process(exchange -> exchange.setVariable("pauses", exchange.getVariable("pauses", int.class) + 1))
                    .bean("fanOutObserver", "waitingForConsumers")
                    .delay(250).syncDelayed()
                .end();

        from("direct:fan-out-recover")
                .routeId("fan-out-recover")
                .description("After a failure that passes: waits, renews the lease and learns how far the task really is")
                .errorHandler(noErrorHandler())
                .process(exchange -> exchange.setVariable("failures", exchange.getVariable("failures", int.class) + 1))
                .delay(method(Backoff.class, "millis(${variable.failures})")).syncDelayed()
                .doTry()
                    .to("direct:fan-out-renew")
                    .setVariable("lease", variable("checkpoint"))
                    .setVariable("held", constant(true))
                    .to("direct:fan-out-recovered")
                .endDoTry()
                .doCatch(LeaseLostException.class)
                    .setVariable("run", constant(LEASE_LOST))
                .doCatch(Exception.class)
                    // The database is away: the task waits with it, and nothing counts as an attempt.
                    .removeVariable("stuckSince")
                    .bean("fanOutObserver", "transientFailure")
                .end();

        from("direct:fan-out-recovered")
                .routeId("fan-out-recovered")
                .description("The lease is held and the database answers: done, on with it, or stuck for a whole lease")
                .errorHandler(noErrorHandler())
                .filter(simple("${variable.lease.completed}"))
                    .setVariable("run", constant(COMPLETED))
                .end()
                .filter(variable("stuckSince").isNull())
                    .setVariable("stuckSince", simple("${variable.lease.asOf}"))
                .end()
                .filter(and(working, method(FanOutRun.class, "isStuck(${variable.stuckSince}, ${variable.lease}, ${variable.leaseMillis})")))
                    .to("direct:fan-out-fail")
                .end();

        from("direct:fan-out-fail")
                .routeId("fan-out-fail")
                .description("After a failure that does not pass: Failed in the last attempt, else the lease runs out")
                .errorHandler(noErrorHandler())
                .setVariable("run", constant(ATTEMPT_FAILED))
                .filter(simple("${variable.lease.attempt} >= ${variable.maxAttempts}"))
                    .doTry()
                        .to("sql:classpath:sql/identity/fanout/fail-task.sql?dataSource=#identity-db"
                                + "&outputType=SelectOne&outputClass=processors.identity.Lease")
                        .setVariable("run").constant(FAILED)
                        .filter(body().isNull())
                            .setVariable("run", constant(LEASE_LOST))
                        .end()
                    .endDoTry()
                    .doCatch(Exception.class)
                        // The expiry of the lease makes the task Failed then.
                        .bean("fanOutObserver", "transientFailure")
                    .end()
                .end();

        from("direct:fan-out-hand-back")
                .routeId("fan-out-hand-back")
                .description("Stops between pages: hands the lease back, so that another worker goes on at once")
                .errorHandler(noErrorHandler())
                .setVariable("run", constant(HANDED_BACK))
                .doTry()
                    .to("sql:classpath:sql/identity/fanout/hand-back-lease.sql?dataSource=#identity-db"
                            + "&outputType=SelectOne&outputClass=processors.identity.Lease")
                    .filter(body().isNull())
                        .setVariable("run", constant(LEASE_LOST))
                    .end()
                .endDoTry()
                .doCatch(Exception.class)
                    // The expiry of the lease gives the task to another worker.
                    .bean("fanOutObserver", "transientFailure")
                .end();
    }
}
