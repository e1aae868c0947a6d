package routes.identity;

import java.util.UUID;
import org.apache.camel.builder.RouteBuilder;
import processors.identity.AccessJob;
import processors.identity.AnnouncementPage;
import processors.identity.JobPaging;

/**
 * Publishes the snapshots of users whom others have announced (design.md, decision 2): services that write assignments in
 * their own transactions, deletions, and the {@code announce} command. Woken when they commit; polling is the guarantee.
 */
public class AnnouncementsRoute extends RouteBuilder {

    @Override
    public void configure() {
        from("seda:announcements-wake?size=1&pollTimeout=100")
                .routeId("announcements")
                .description("Publishes announcements page by page until there are none")
                .setVariable("job", constant(AccessJob.ANNOUNCEMENTS))
                .to("direct:run-job");

        from("direct:announcements-page")
                .routeId("announcements-page")
                .description("A page of announcements: their users' events, and their deletion; one transaction")
                .errorHandler(noErrorHandler())
                .transacted("identity-tx")
                .to("sql:classpath:sql/identity/jobs/lock-job.sql?dataSource=#identity-db&outputType=SelectOne")
                .filter(body().isEqualTo(true))
                    .to("sql:classpath:sql/identity/announcements/select-page.sql?dataSource=#identity-db"
                            + "&outputClass=processors.identity.PendingAnnouncement")
                    .setVariable("page", method(AnnouncementPage.class, "of(${body})"))
                    .setVariable("chosen", simple("${variable.page.size}"))
                    .filter(simple("${variable.chosen} > 0"))
                        .setVariable("correlationId", UUID::randomUUID)
                        .setVariable("holders", simple("${variable.page.holders}"))
                        .to("sql:classpath:sql/identity/assignments/lock-holders.sql?dataSource=#identity-db&noop=true")
                        .split(simple("${variable.page.announcements(${variable.correlationId})}")).stopOnException()
                            .setVariable("announcement", body())
                            .to("direct:access-snapshots")
                        .end()
                        .to("sql:classpath:sql/identity/announcements/retire-versions.sql?dataSource=#identity-db")
                        .to("sql:classpath:sql/identity/announcements/delete-page.sql?dataSource=#identity-db")
                        // What was announced since has a notification of its own.
                        .setVariable("more", method(JobPaging.class, "isFull(${variable.chosen}, ${variable.rows})"))
                    .end()
                .end();

        from("timer:announcements-measure?period={{identity.measure-interval}}&delay=0")
                .routeId("announcements-measure")
                .description("Measures the announcements for the gauges")
                .doTry()
                    .to("sql:classpath:sql/identity/announcements/measure.sql?dataSource=#identity-db"
                            + "&outputType=SelectOne&outputClass=processors.identity.JobObserver$AnnouncementMeasure")
                    .bean("jobObserver", "announcementsMeasured")
                .doCatch(Exception.class)
                    .bean("jobObserver", "notMeasured")
                .end();
    }
}
