package routes.access;

import java.util.List;
import processors.access.AccessSteps;
import routes.consuming.ConsumerRoute;

/**
 * The access cache (spec user-access-changed.md, "Потребители"): access events become rows of
 * {@code access_cache.user_access}, which say what a user may do, or that identity must be asked. What is the same for every
 * consumer is {@link ConsumerRoute}; which services run this, and under which group, is configuration.
 */
public class AccessCacheRoute extends ConsumerRoute {

    @Override
    public void configure() {
        receive("access-cache", "access-cache", "accessCacheObserver");

        // One of the missed events may have been a revoke: nothing that is held can be relied on (it fails closed).
        whenMissed("access-cache")
                .setVariable("missed", body())
                .to("sql:classpath:sql/access/cache/void-all.sql?dataSource=#access-cache-db&outputType=SelectOne")
                .filter(body().isNotNull())
                    .setBody(variable("missed"))
                    .bean("consumerObserver", "missed")
                .end();

        from("direct:access-cache-batch")
                .routeId("access-cache-batch")
                .description("One transaction: what is held, what the events do to it, store; again for what a rival overtook")
                .errorHandler(noErrorHandler())
                .transacted("access-cache-tx")
                .setVariable("batch", method(AccessSteps.class, "receive"))
                .loopDoWhile(simple("${variable.batch.open}"))
                    .to("sql:classpath:sql/access/cache/select-access.sql?dataSource=#access-cache-db"
                            + "&outputClass=processors.access.UserAccess")
                    .bean(AccessSteps.class, "compare")
                    .to("direct:consume-in-parts")
                .end();

        from("direct:access-cache-store")
                .routeId("access-cache-store")
                .description("Lets the guard judge each event, and writes; under a savepoint, for the database may refuse it")
                .errorHandler(noErrorHandler())
                .transacted("access-cache-savepoint")
                .setVariable("decision", method(AccessSteps.class, "decide"))
                .setVariable("rows").simple("${variable.decision.rows}")
                .filter(simple("${variable.decision.roles.size} > 0"))
                    .to("sql:classpath:sql/access/cache/write-role-changes.sql?dataSource=#access-cache-db")
                .end()
                .setBody(constant(List.of()))
                .filter(simple("${variable.decision.writes.size} > 0"))
                    .to("sql:classpath:sql/access/cache/write-access.sql?dataSource=#access-cache-db"
                            + "&outputClass=processors.access.AccessRows$Written")
                .end()
                .bean(AccessSteps.class, "settle");
    }
}
