package routes.identity;

import org.apache.camel.builder.RouteBuilder;
import processors.identity.AccessSnapshots;
import processors.identity.OutboxBatch;
import processors.identity.UserAccessChangedStep;

/**
 * The one place that publishes a user's access (EVT-01 … EVT-06), whatever the cause: it takes the variable
 * {@code announcement} and joins the caller's transaction, without which nothing it does would hold together.
 */
public class AccessSnapshotsRoute extends RouteBuilder {

    @Override
    public void configure() {
        from("direct:access-snapshots")
                .routeId("access-snapshots")
                .description("Locks users, loads their access, and appends one full snapshot per user to the outbox")
                .errorHandler(noErrorHandler())
                .to("sql:classpath:sql/identity/snapshots/lock-users.sql?dataSource=#identity-db&noop=true")
                .to("sql:classpath:sql/identity/snapshots/load-access.sql?dataSource=#identity-db"
                        + "&outputClass=processors.identity.AssignmentRow")
                .bean("fanOutObserver", "scopeTypes")
                .split(method(AccessSnapshots.class, "perUser"), new OutboxBatch.Collect()).stopOnException()
                    .process(new UserAccessChangedStep())
                    .marshal("accessJson")
                .end()
                .to("sql:classpath:sql/identity/snapshots/append-events.sql?dataSource=#identity-db");
    }
}
