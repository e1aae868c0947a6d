package routes.consuming;

import org.apache.camel.builder.RouteBuilder;
import processors.consuming.PatienceLeft;
import processors.consuming.ReadAgain;
import processors.failures.Backoff;
import processors.failures.DataError;

/**
 * What stands between a topic and the database, for every consumer (design.md, decision 6). The variable {@code consumer}
 * names the one at work, and {@code step} what it does: {@code direct:<consumer>-batch} is its transaction, {@code
 * direct:<consumer>-store} the part of it that writes, under a savepoint; {@code direct:dead-letter} sends what is left.
 */
public class PatientBatchRoute extends RouteBuilder {

    @Override
    public void configure() {
        from("direct:consume-patiently")
                .routeId("consume-patiently")
                .description("Tries a step until it succeeds; after a quarter of max.poll.interval.ms it fails")
                .errorHandler(noErrorHandler())
                .setVariable("since", method(System.class, "nanoTime"))
                .setVariable("failures", constant(0))
                .setVariable("done", constant(false))
                .loopDoWhile(variable("done").isEqualTo(false))
                    .doTry()
                        .toD("direct:${variable.step}")
                        .setVariable("done", constant(true))
                        .bean("consumerObserver", "done")
                    .endDoTry()
                    // First, because onWhen() puts its condition on every doCatch() before it. Without patience left, it is
                    // the caller that gets the failure.
                    .doCatch(Exception.class).onWhen(new PatienceLeft())
                        .to("direct:consume-wait")
                    .end()
                .end();

        from("direct:consume-wait")
                .routeId("consume-wait")
                .description("After a failure that is not the records': waits, longer each time")
                .errorHandler(noErrorHandler())
                .bean("consumerObserver", "waiting")
                .process(exchange -> exchange.setVariable("failures", exchange.getVariable("failures", int.class) + 1))
                .delay(method(Backoff.class, "shortMillis(${variable.failures})")).syncDelayed();

        from("direct:consume-again")
                .routeId("consume-again")
                .description("Gives a batch up after a pause: none of it is acknowledged, and it is read again")
                .errorHandler(noErrorHandler())
                .bean("consumerObserver", "failed")
                .delay(method("pauses", "millis")).syncDelayed()
                .process(new ReadAgain());

        from("direct:consume-in-parts")
                .routeId("consume-in-parts")
                .description("Stores a batch; where the database refuses its data, divides it until the record stands alone")
                .errorHandler(noErrorHandler())
                .loopDoWhile(method("isolation", "isOpen"))
                    .setVariable("part", method("isolation", "next"))
                    .doTry()
                        .toD("direct:${variable.consumer}-store")
                    .endDoTry()
                    .doCatch(Exception.class).onWhen(new DataError())
                        .bean("isolation", "refuse")
                    .end()
                .end();
    }
}
