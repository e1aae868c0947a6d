package routes.identity;

import org.apache.camel.builder.RouteBuilder;
import processors.identity.AccessSnapshots;
import processors.identity.Announcement;
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
                .filter(simple("${variable.announcement.countsAssignments}"))
                    .to("sql:classpath:sql/identity/snapshots/load-versions.sql?dataSource=#identity-db"
                            + "&outputClass=processors.identity.UserVersion")
                    .setVariable("announcement", method(Announcement.class, "versioned(${variable.announcement}, ${body})"))
                .end()
                .to("sql:classpath:sql/identity/snapshots/load-access.sql?dataSource=#identity-db"
                        + "&outputClass=processors.identity.AssignmentRow")
                .bean("fanOutObserver", "scopeTypes")
                .setVariable("access", body())
                .split(method(AccessSnapshots.class, "perUser"), new OutboxBatch.Collect()).stopOnException()
                    .process(new UserAccessChangedStep())
                    .marshal("accessJson")
                .end()
                .filter(simple("{{identity.topic-v2.enabled}}"))
                    .to("direct:access-snapshots-v2")
                .end()
                .setVariable("v1Until").constant("{{identity.topic-v2.v1-until}}")
                .to("sql:classpath:sql/identity/snapshots/append-events.sql?dataSource=#identity-db");

        from("direct:access-snapshots-v2")
                .routeId("access-snapshots-v2")
                .description("Adds the same events under ContractVersion 2 (EVT-13)")
                .errorHandler(noErrorHandler())
                .setVariable("eventsV1", body())
                .setBody(variable("access"))
                .split(method(AccessSnapshots.class, "perUser"), new OutboxBatch.Collect()).stopOnException()
                    .process(new UserAccessChangedStep())
                    .to("class:{{identity.topic-v2.mapping}}?method=map")
                    .marshal("accessJson")
                .end()
                .setBody(method(OutboxBatch.class, "both(${variable.eventsV1}, ${body})"));
    }
}
