package routes.identity;

import java.util.List;
import org.apache.camel.builder.RouteBuilder;

/**
 * When the relay looks into the outbox: a heartbeat every second, which also holds the lanes, and at once when a
 * notification says that events were appended. Each lane with rows wakes its own {@link RelayLaneRoute}.
 */
public class RelayPollRoute extends RouteBuilder {

    @Override
    public void configure() {
        from("timer:relay-heartbeat?period={{identity.relay.heartbeat-interval}}&delay=0")
                .routeId("relay-heartbeat")
                .description("Renews, gives back and takes lanes, and wakes those with rows")
                .setVariable("publisher").method("lanePublishers", "publisherId")
                .setVariable("laneLeaseMillis").simple("{{identity.relay.lane-lease}}", Long.class)
                .doTry()
                    .choice()
                        .when(method("lanePublishers", "steppedAside"))
                            .to("sql:classpath:sql/identity/relay/release-lanes.sql?dataSource=#identity-db")
                            .setBody(constant(List.of()))
                        .otherwise()
                            .to("sql:classpath:sql/identity/relay/heartbeat.sql?dataSource=#identity-db"
                                    + "&outputClass=processors.identity.Lane")
                    .end()
                    .bean("lanePublishers", "hold")
                    .bean("relayObserver", "holding")
                    .to("direct:relay-wake-lanes")
                .endDoTry()
                .doCatch(Exception.class)
                    .bean("relayObserver", "heartbeatFailed")
                .end();

        from("seda:relay-wake?size=1&pollTimeout=100")
                .routeId("relay-wake")
                .description("After a notification: wakes the lanes with rows")
                .setVariable("publisher").method("lanePublishers", "publisherId")
                .doTry()
                    .to("sql:classpath:sql/identity/relay/select-lanes-with-rows.sql?dataSource=#identity-db"
                            + "&outputClass=processors.identity.Lane")
                    .to("direct:relay-wake-lanes")
                .doCatch(Exception.class)
                    .bean("relayObserver", "failed")
                .end();

        from("direct:relay-wake-lanes")
                .routeId("relay-wake-lanes")
                .description("Wakes each lane that has rows, or whose producer is not open yet")
                .errorHandler(noErrorHandler())
                .split(body())
                    .filter().method("lanePublishers", "needsRun")
                        .toD("seda:relay-lane-${body.number}?size=1&discardWhenFull=true")
                    .end()
                .end();

        from("timer:relay-measure?period={{identity.measure-interval}}&delay=0")
                .routeId("relay-measure")
                .description("Measures the outbox for the gauges")
                .doTry()
                    .to("sql:classpath:sql/identity/relay/measure-outbox.sql?dataSource=#identity-db"
                            + "&outputType=SelectOne&outputClass=processors.identity.RelayObserver$OutboxMeasure")
                    .bean("relayObserver", "outboxMeasured")
                .doCatch(Exception.class)
                    .bean("relayObserver", "outboxNotMeasured")
                .end();
    }
}
