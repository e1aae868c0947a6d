package routes.identity;

import java.util.UUID;
import org.apache.camel.builder.RouteBuilder;
import processors.identity.AccessChangeReason;
import processors.identity.AccessChanged;
import processors.identity.Announcement;
import processors.identity.Assignments;

/**
 * Gives a role to a user (EVT-03, AssignmentGranted). The body is a {@link processors.identity.AssignmentGrant}, the answer
 * an {@link AccessChanged}; a grant that cannot be done throws a {@link processors.identity.AssignmentRejectedException} and
 * leaves everything as it was. Called in a transaction of the caller's, it joins it; several grants in one transaction may
 * deadlock with the archiving of a role, and are then to be tried again (SQLSTATE 40P01).
 */
public class GrantAssignmentRoute extends RouteBuilder {

    @Override
    public void configure() {
        from("direct:grant-assignment")
                .routeId("grant-assignment")
                .description("A new assignment and its user's event; one transaction")
                .errorHandler(noErrorHandler())
                .transacted("identity-tx")
                .setVariable("grant", body())
                .setVariable("correlationId", UUID::randomUUID)
                // The role before the user, as everywhere: a grant that races an archiving waits here, and loses.
                .to("sql:classpath:sql/identity/assignments/lock-role-for-grant.sql?dataSource=#identity-db"
                        + "&outputType=SelectOne&outputClass=processors.identity.Role")
                .setVariable("role", body())
                .bean(Assignments.class, "requireGrantable(${variable.grant}, ${variable.role})")
                .setVariable("holders", simple("${variable.grant.holders}"))
                .to("sql:classpath:sql/identity/assignments/lock-holders.sql?dataSource=#identity-db&noop=true")
                .to("sql:classpath:sql/identity/assignments/insert-assignment.sql?dataSource=#identity-db"
                        + "&outputType=SelectOne&outputClass=processors.identity.GrantOutcome")
                .bean(Assignments.class, "requireWritten(${variable.grant}, ${body})")
                .setVariable("changed", variable("holders"))
                .setVariable("reason", constant(AccessChangeReason.AssignmentGranted))
                .to("direct:publish-changed-assignments")
                .setBody(method(AccessChanged.class, "of(${variable.correlationId}, ${variable.changed})"));

        from("direct:publish-changed-assignments")
                .routeId("publish-changed-assignments")
                .description("One event for each user whose assignments have changed, if any")
                .errorHandler(noErrorHandler())
                .filter(simple("${variable.changed.size} > 0"))
                    .setVariable("announcement", method(Announcement.class,
                            "ofAssignments(${variable.changed}, ${variable.reason}, ${variable.correlationId})"))
                    .to("direct:access-snapshots")
                .end();
    }
}
