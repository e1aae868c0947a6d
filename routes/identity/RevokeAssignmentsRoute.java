package routes.identity;

import java.util.UUID;
import org.apache.camel.builder.RouteBuilder;
import processors.identity.AccessChangeReason;
import processors.identity.AccessChanged;
import processors.identity.Assignments;
import processors.identity.Page;

/**
 * Takes roles from users (EVT-03, AssignmentRevoked): some assignments, or all of a user who is archived. Each is one
 * transaction with one event per user, whose answer is an {@link AccessChanged}; what is not active any more is left as it
 * is, and tells nobody.
 */
public class RevokeAssignmentsRoute extends RouteBuilder {

    @Override
    public void configure() {
        from("direct:revoke-assignments")
                .routeId("revoke-assignments")
                .description("Revokes the assignments of an AssignmentRevocation; one event per user, one transaction")
                .errorHandler(noErrorHandler())
                .transacted("identity-tx")
                .setVariable("revocation", body())
                .setVariable("correlationId", UUID::randomUUID)
                .to("sql:classpath:sql/identity/assignments/select-users-of-assignments.sql?dataSource=#identity-db"
                        + "&outputType=SelectOne&outputClass=processors.identity.AssignmentHolders")
                .setVariable("holders", body())
                .bean(Assignments.class, "requireKnown(${variable.holders})")
                .to("sql:classpath:sql/identity/assignments/lock-holders.sql?dataSource=#identity-db&noop=true")
                .to("sql:classpath:sql/identity/assignments/revoke-assignments.sql?dataSource=#identity-db"
                        + "&outputType=SelectOne&outputClass=processors.identity.Page")
                .to("direct:publish-revoked");

        from("direct:archive-user")
                .routeId("archive-user")
                .description("Revokes every assignment of the user whose id is the body; one event, one transaction")
                .errorHandler(noErrorHandler())
                .transacted("identity-tx")
                .setVariable("userId", body())
                .setVariable("correlationId", UUID::randomUUID)
                .setVariable("holders", method(Page.class, "ofOne(${variable.userId})"))
                .to("sql:classpath:sql/identity/assignments/lock-holders.sql?dataSource=#identity-db&noop=true")
                .to("sql:classpath:sql/identity/assignments/revoke-user.sql?dataSource=#identity-db"
                        + "&outputType=SelectOne&outputClass=processors.identity.Page")
                .to("direct:publish-revoked");

        from("direct:publish-revoked")
                .routeId("publish-revoked")
                .description("The events of the users in the body, from whom something was revoked, and the answer")
                .errorHandler(noErrorHandler())
                .setVariable("changed", body())
                .setVariable("reason", constant(AccessChangeReason.AssignmentRevoked))
                .to("direct:publish-changed-assignments")
                .setBody(method(AccessChanged.class, "of(${variable.correlationId}, ${variable.changed})"));
    }
}
