package routes.identity;

import org.apache.camel.builder.RouteBuilder;
import processors.operator.OperatorDesk;

/**
 * Looks at the queue and the relay for the operator's page. One thread, a connection of its own that only reads and whose
 * statements are given up after a second: however many browsers are open, those who work do not feel it.
 */
public class OperatorLookRoute extends RouteBuilder {

    private static final int ROWS = 20;
    private static final int MOST_USERS = 100_000;

    @Override
    public void configure() {
        from("seda:operator-look?pollTimeout=100")
                .routeId("operator-look")
                .description("Looks at tasks, lanes and parked events; every two seconds at most, and only while somebody looks")
                .setVariable("publisher").method("lanePublishers", "publisherId")
                .setVariable("laneLeaseMillis").simple("{{identity.relay.lane-lease}}", Long.class)
                .setVariable("most", constant(OperatorDesk.BOUND))
                .setVariable("rows", constant(ROWS))
                .filter(method("operatorDesk", "isLookDue"))
                    .doTry()
                        .to("sql:classpath:sql/identity/operator/measure.sql?dataSource=#operator-db"
                                + "&outputType=SelectOne&outputClass=processors.operator.Totals")
                        .setVariable("totals", body())
                        .to("sql:classpath:sql/identity/operator/select-tasks.sql?dataSource=#operator-db"
                                + "&outputClass=processors.operator.Task")
                        .setVariable("tasks", body())
                        .to("sql:classpath:sql/identity/operator/select-lanes.sql?dataSource=#operator-db"
                                + "&outputClass=processors.operator.Lane")
                        .setVariable("lanes", body())
                        .to("sql:classpath:sql/identity/operator/select-parked.sql?dataSource=#operator-db"
                                + "&outputClass=processors.operator.ParkedRow")
                        .setVariable("parked", body())
                        .bean("operatorDesk", "seen")
                        .setBody(variable("tasks"))
                        // Whoever asks for the page does not wait for it.
                        .to("seda:operator-count?size=1&discardWhenFull=true&waitForTaskToComplete=Never")
                    .endDoTry()
                    .doCatch(Exception.class)
                        .bean("operatorDesk", "failed")
                    .end()
                .end();

        from("seda:operator-count?size=1&pollTimeout=100")
                .routeId("operator-count")
                .description("Counts the users of running tasks, up to a bound; what takes too long stays unknown")
                .filter(method("operatorDesk", "isCountDue"))
                    .setVariable("mostUsers", constant(MOST_USERS))
                    .doTry()
                        .to("sql:classpath:sql/identity/operator/count-expected.sql?dataSource=#operator-db"
                                + "&outputClass=processors.operator.Expected")
                        .bean("operatorDesk", "counted")
                    .endDoTry()
                    .doCatch(Exception.class)
                        .bean("operatorDesk", "notCounted")
                    .end()
                .end();
    }
}
