package routes.identity;

import java.util.UUID;
import org.apache.camel.builder.RouteBuilder;
import processors.identity.AccessChanged;
import processors.identity.AccessJob;
import processors.identity.Assignments;

/**
 * Archives a role, and revokes it from everybody (INV-R5; EVT-03, AssignmentRevoked). The body is the role's id, the answer
 * an {@link AccessChanged}.
 *
 * <p>A role of any size: the archiving, the first page of users and the note that there is more are one transaction; the
 * other pages follow in the background, each a transaction that holds the revoking of its users and their events. The
 * guarantee allows it: what must be atomic is each assignment's change with its event (spec user-access-changed.md,
 * "Когда публикуется"), nobody can be given the role once it is archived, and the note outlives a crash. One transaction for
 * a million users would hold their locks, more than PostgreSQL's lock table has room for, and their rows for minutes. An
 * assignment that somebody else holds locked is left for a later page, for waiting with the role locked could deadlock.
 */
public class ArchiveRoleRoute extends RouteBuilder {

    @Override
    public void configure() {
        from("direct:archive-role")
                .routeId("archive-role")
                .description("Archives the role whose id is the body, and revokes a first page; one transaction")
                .errorHandler(noErrorHandler())
                .transacted("identity-tx")
                .setVariable("roleId", body())
                .setVariable("correlationId", UUID::randomUUID)
                .to("sql:classpath:sql/identity/assignments/lock-role-for-archive.sql?dataSource=#identity-db"
                        + "&outputType=SelectOne&outputClass=processors.identity.Role")
                .setVariable("role", body())
                .bean(Assignments.class, "requireRole(${variable.roleId}, ${variable.role})")
                .to("sql:classpath:sql/identity/assignments/archive-role.sql?dataSource=#identity-db")
                .setVariable("rows").simple("{{identity.fanout.batch-size}}", Integer.class)
                .setVariable("skip", constant(0))
                .to("direct:revoke-role")
                .setBody(method(AccessChanged.class,
                        "ofFirstPage(${variable.correlationId}, ${variable.changed}, ${variable.leftOver})"));

        from("direct:revoke-role")
                .routeId("revoke-role")
                .description("A page of an archived role: revokes it from its next users and tells them")
                .errorHandler(noErrorHandler())
                .to("sql:classpath:sql/identity/assignments/select-holders.sql?dataSource=#identity-db"
                        + "&outputType=SelectOne&outputClass=processors.identity.Page")
                .setVariable("holders", body())
                .setVariable("chosen", simple("${body.size}"))
                .to("sql:classpath:sql/identity/assignments/lock-holders.sql?dataSource=#identity-db&noop=true")
                .to("sql:classpath:sql/identity/assignments/revoke-role.sql?dataSource=#identity-db"
                        + "&outputType=SelectOne&outputClass=processors.identity.Page")
                .to("direct:publish-revoked")
                .to("sql:classpath:sql/identity/assignments/finish-archival.sql?dataSource=#identity-db"
                        + "&outputType=SelectOne")
                .setVariable("leftOver", body());

        from("seda:role-archivals-wake?size=1&pollTimeout=100")
                .routeId("role-archivals")
                .description("Revokes what is left of archived roles, page by page")
                .setVariable("job", constant(AccessJob.ROLE_ARCHIVALS))
                .to("direct:run-job");

        from("direct:role-archivals-page")
                .routeId("role-archivals-page")
                .description("One page of the oldest archival; one transaction")
                .errorHandler(noErrorHandler())
                .transacted("identity-tx")
                .to("sql:classpath:sql/identity/jobs/lock-job.sql?dataSource=#identity-db&outputType=SelectOne")
                .filter(body().isEqualTo(true))
                    .to("sql:classpath:sql/identity/assignments/select-archival.sql?dataSource=#identity-db"
                            + "&outputType=SelectOne&outputClass=processors.identity.RoleArchival")
                    .filter(body().isNotNull())
                        .setVariable("roleId", simple("${body.roleId}"))
                        .setVariable("paging", simple("${variable.paging.about(${body.roleId})}"))
                        .setVariable("skip", simple("${variable.paging.skip}"))
                        .setVariable("correlationId", simple("${body.correlationId}"))
                        .to("direct:revoke-role")
                        // After the last page of this role, there may be another role.
                        .setVariable("more", constant(true))
                    .end()
                .end();
    }
}
