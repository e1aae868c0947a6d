package routes.identity;

import java.util.UUID;
import org.apache.camel.builder.RouteBuilder;
import processors.identity.AccessChangeReason;
import processors.identity.AccessJob;
import processors.identity.JobPaging;

/**
 * Ends assignments whose time has come (EVT-03, AssignmentExpired): a job that moves them to Expired page by page, each page
 * a transaction with one event per user. Any number of instances may run it; one at a time has a page.
 */
public class ExpireAssignmentsRoute extends RouteBuilder {

    @Override
    public void configure() {
        // stateful: a run that takes longer than the schedule is not joined by another one.
        from("quartz:access/expire-assignments?cron=RAW({{identity.expiry.schedule}})&stateful=true")
                .routeId("expire-assignments")
                .description("On schedule: moves due assignments to Expired, page by page")
                .setVariable("job", constant(AccessJob.EXPIRY))
                .to("direct:run-job");

        from("direct:expiry-page")
                .routeId("expiry-page")
                .description("One page of due assignments and their users' events; one transaction")
                .errorHandler(noErrorHandler())
                .transacted("identity-tx")
                .to("sql:classpath:sql/identity/jobs/lock-job.sql?dataSource=#identity-db&outputType=SelectOne")
                .filter(body().isEqualTo(true))
                    .to("sql:classpath:sql/identity/assignments/select-due.sql?dataSource=#identity-db"
                            + "&outputType=SelectOne&outputClass=processors.identity.Page")
                    .setVariable("holders", body())
                    .setVariable("chosen", simple("${variable.holders.size}"))
                    .filter(simple("${variable.chosen} > 0"))
                        .setVariable("correlationId", UUID::randomUUID)
                        .to("sql:classpath:sql/identity/assignments/lock-holders.sql?dataSource=#identity-db&noop=true")
                        .to("sql:classpath:sql/identity/assignments/expire-due.sql?dataSource=#identity-db"
                                + "&outputType=SelectOne&outputClass=processors.identity.Page")
                        .setVariable("changed", body())
                        .setVariable("reason", constant(AccessChangeReason.AssignmentExpired))
                        .to("direct:publish-changed-assignments")
                        .setVariable("more", method(JobPaging.class, "goesOn(${variable.chosen}, ${variable.changed.size}, ${variable.rows})"))
                    .end()
                .end();
    }
}
