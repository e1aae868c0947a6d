package routes.identity;

import org.apache.camel.builder.RouteBuilder;
import processors.identity.Announcement;
import processors.identity.LeaseLostException;

/**
 * One page of a task (spec access-fan-out-job.md, steps 3–7; FAN-07 … FAN-11): its events and its checkpoint in one
 * transaction, so that either both exist or neither does. Nothing in here calls another system.
 */
public class FanOutPageRoute extends RouteBuilder {

    @Override
    public void configure() {
        from("direct:fan-out-page")
                .routeId("fan-out-page")
                .description("One page: its users, their snapshots into the outbox, the checkpoint; one transaction")
                .errorHandler(noErrorHandler())
                .transacted("identity-tx")
                .to("sql:classpath:sql/identity/fanout/select-page.sql?dataSource=#identity-db"
                        + "&outputType=SelectOne&outputClass=processors.identity.Page")
                .setVariable("page", body())
                .filter(simple("${variable.page.size} > 0"))
                    .setVariable("announcement").method(Announcement.class,
                            "ofPage(${variable.page}, ${variable.lease}, ${variable.jobRunId})")
                    .to("direct:access-snapshots")
                .end()
                .to("sql:classpath:sql/identity/fanout/checkpoint.sql?dataSource=#identity-db"
                        + "&outputType=SelectOne&outputClass=processors.identity.Lease")
                .filter(body().isNull())
                    .throwException(LeaseLostException.class, "task ${variable.lease.taskId}")
                .end()
                .setVariable("checkpoint", body());
    }
}
