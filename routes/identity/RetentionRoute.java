package routes.identity;

import org.apache.camel.builder.RouteBuilder;
import processors.identity.AccessJob;
import processors.identity.JobPaging;

/** Keeps the queue small (OPS-07): tasks that were completed long ago leave, some hundred at a time. */
public class RetentionRoute extends RouteBuilder {

    @Override
    public void configure() {
        from("quartz:access/retention?cron=RAW({{identity.retention.schedule}})&stateful=true")
                .routeId("retention")
                .description("On schedule: deletes completed tasks that are kept no longer, page by page")
                .setVariable("job", constant(AccessJob.RETENTION))
                .to("direct:run-job");

        from("direct:retention-page")
                .routeId("retention-page")
                .description("Some of the oldest completed tasks; one transaction")
                .errorHandler(noErrorHandler())
                .transacted("identity-tx")
                .to("sql:classpath:sql/identity/jobs/lock-job.sql?dataSource=#identity-db&outputType=SelectOne")
                .filter(body().isEqualTo(true))
                    .setVariable("keepMillis").simple("{{identity.retention.completed-tasks}}", Long.class)
                    .to("sql:classpath:sql/identity/retention/purge-tasks.sql?dataSource=#identity-db"
                            + "&outputType=SelectOne")
                    .setVariable("more", method(JobPaging.class, "isFull(${body}, ${variable.rows})"))
                .end();
    }
}
