package routes.consuming;

import org.apache.camel.builder.RouteBuilder;
import org.apache.kafka.common.errors.RecordTooLargeException;
import processors.consuming.DeadLetterRecords;

/**
 * Sends the dead letters of the variable {@code batch}, for every consumer: returns when Kafka has acknowledged all of them.
 * The variable {@code deadLetterTopic} names the topic; what was sent stays as the variable {@code deadLetters}.
 */
public class DeadLetterRoute extends RouteBuilder {

    private static final String LETTERS = "kafka:${variable.deadLetterTopic}?clientId=dead-letters&kafkaClientFactory=#consumerClients"
            + "&keySerializer=org.apache.kafka.common.serialization.ByteArraySerializer"
            + "&valueSerializer=processors.consuming.DeadLetterSerializer"
            + "&batchWithIndividualHeaders=true&headerFilterStrategy=#noHeaders&synchronous=true";

    @Override
    public void configure() {
        from("direct:dead-letter")
                .routeId("dead-letter")
                .description("Sends dead letters all at once; where one does not fit into the topic, each by itself")
                .errorHandler(noErrorHandler())
                .setVariable("deadLetters").simple("${variable.batch.deadLetters}")
                .setBody(variable("deadLetters"))
                .doTry()
                    .setBody(method(DeadLetterRecords.class, "whole"))
                    .toD(LETTERS)
                .endDoTry()
                .doCatch(RecordTooLargeException.class)
                    .split(variable("deadLetters")).stopOnException()
                        .to("direct:dead-letter-alone")
                    .end()
                .end();

        from("direct:dead-letter-alone")
                .routeId("dead-letter-alone")
                .description("Sends one dead letter, without its value where Kafka can never take it: nothing stops the topic")
                .errorHandler(noErrorHandler())
                .setVariable("deadLetter", body())
                .doTry()
                    .setBody(method(DeadLetterRecords.class, "one"))
                    .toD(LETTERS)
                .endDoTry()
                .doCatch(RecordTooLargeException.class)
                    .setBody(variable("deadLetter"))
                    .setBody(method(DeadLetterRecords.class, "withoutValue"))
                    .toD(LETTERS)
                .end();
    }
}
