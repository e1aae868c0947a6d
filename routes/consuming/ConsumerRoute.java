package routes.consuming;

import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.model.RouteDefinition;
import processors.consuming.Acknowledge;
import processors.consuming.Received;

/**
 * What receives a topic, the same for every consumer. A poll is one transaction of {@code direct:<consumer>-batch}; its
 * offsets are committed when everything in it is stored, skipped or a dead letter that Kafka has acknowledged, and not
 * before (REP-12). How long it waits for a database that is away, and how it finds a record that the database refuses, is
 * {@link PatientBatchRoute}.
 */
public abstract class ConsumerRoute extends RouteBuilder {

    /**
     * Adds the routes {@code <consumer>}, which receives, {@code <consumer>-handle}, which also takes dead letters that are
     * replayed, and {@code <consumer>-measure}, which looks from beside how far the group is.
     *
     * @param prefix of the consumer's settings (see {@link KafkaBatches}), {@code dlq-topic} among them
     * @param observer a bean with {@code committed} and {@code deadLettered}
     */
    protected final void receive(String prefix, String consumer, String observer) {
        from(KafkaBatches.of(prefix, consumer))
                .routeId(consumer)
                .description("Receives records, and acknowledges them when they are handled")
                .errorHandler(noErrorHandler())
                .setVariable("consumer", constant(consumer))
                .setVariable("poll", body())
                .doTry()
                    .setBody(method(Received.class, "ofPoll"))
                    .to("direct:" + consumer + "-handle")
                    .process(new Acknowledge())
                    .bean("pauses", "reset")
                .endDoTry()
                .doCatch(Exception.class)
                    .to("direct:consume-again")
                .end();

        from("direct:" + consumer + "-handle")
                .routeId(consumer + "-handle")
                .description("Handles records, from the topic or replayed ones: stores them, and sends on what can never be stored")
                .errorHandler(noErrorHandler())
                .setVariable("received", body())
                .setVariable("consumer", constant(consumer))
                .setVariable("maxPollInterval").simple("{{" + prefix + ".max-poll-interval}}", Long.class)
                .setVariable("step", constant(consumer + "-batch"))
                .to("direct:consume-patiently")
                .bean(observer, "committed")
                .filter(simple("${variable.batch.deadLetters.size} > 0"))
                    .setVariable("deadLetterTopic").simple("{{" + prefix + ".dlq-topic}}")
                    // With patience of its own: what is stored is not stored again because Kafka is away.
                    .setVariable("step", constant("dead-letter"))
                    .to("direct:consume-patiently")
                    .bean(observer, "deadLettered")
                .end();

        from("timer:" + consumer + "-measure?period={{" + prefix + ".measure-interval}}&delay=0")
                .routeId(consumer + "-measure")
                .description("Measures how far the group is behind, for the gauges")
                .setVariable("consumer", constant(consumer))
                .doTry()
                    .setBody(method(consumer + "-reach", "get"))
                    .bean("consumerObserver", "measured")
                .endDoTry()
                .doCatch(Exception.class)
                    .bean("consumerObserver", "notMeasured")
                .end();
    }

    /**
     * Adds the route {@code <consumer>-missed}: the group has lost its position, and records that the topic keeps no longer
     * may not have been handled. It has to say what follows from that, and ends with {@code consumerObserver.missed}; until it
     * succeeds, nothing is read.
     */
    protected final RouteDefinition whenMissed(String consumer) {
        return from("direct:" + consumer + "-missed")
                .routeId(consumer + "-missed")
                .description("Records were missed: says so, and what follows from it, before the consumer goes on")
                .errorHandler(noErrorHandler())
                .setVariable("consumer", constant(consumer));
    }
}
