package routes.identity;

import org.apache.camel.builder.RouteBuilder;

/**
 * When a worker looks into the queue (FAN-03): every polling interval, and at once when a notification says that a task
 * was queued. Both meet in a queue of one, so runs of one instance never overlap.
 */
public class FanOutPollRoute extends RouteBuilder {

    @Override
    public void configure() {
        from("timer:fan-out-poll?period={{identity.fanout.polling-interval}}&delay=0")
                .routeId("fan-out-poll")
                .description("Looks into the task queue every polling interval")
                .to("seda:fan-out-wake?size=1&discardWhenFull=true");

        from("timer:fan-out-measure?period={{identity.measure-interval}}&delay=0")
                .routeId("fan-out-measure")
                .description("Measures the task queue for the gauges")
                .doTry()
                    .to("sql:classpath:sql/identity/fanout/measure-queue.sql?dataSource=#identity-db&outputType=SelectOne"
                            + "&outputClass=processors.identity.FanOutObserver$QueueMeasure")
                    .bean("fanOutObserver", "queueMeasured")
                .doCatch(Exception.class)
                    .bean("fanOutObserver", "queueNotMeasured")
                .end();
    }
}
