package routes.identity;

import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.component.kafka.KafkaConstants;
import processors.identity.Watermark;

/**
 * Tells consumers, on a topic of its own, until when everything is out, so that they know how fresh they are (EVT-12); runs
 * only where {@code identity.watermark-topic} names one. Every instance does it: each watermark is true by itself.
 */
public class WatermarksRoute extends RouteBuilder {

    @Override
    public void configure() {
        from("timer:watermarks?period={{identity.watermark-interval}}")
                .routeId("watermarks")
                .description("Says until when everything is out, and where in the topic")
                .setVariable("v1Until").constant("{{identity.topic-v2.v1-until}}")
                .doTry()
                    .to("sql:classpath:sql/identity/relay/complete-until.sql?dataSource=#identity-db"
                            + "&outputType=SelectOne&outputClass=processors.identity.Watermarks$Look")
                    .setVariable("completeUntil", method("watermarks", "next"))
                    .filter(variable("completeUntil").isNotNull())
                        // After the time was read: what was out by then stands before these ends.
                        .setBody(method("watermarkOffsets", "ends"))
                        .setBody(method(Watermark.class, "of"))
                        .setBody(simple("${body.json}"))
                        .setHeader(KafkaConstants.KEY, constant("{{identity.topic}}"))
                        .to("kafka:{{identity.watermark-topic}}?clientId=access-watermarks&kafkaClientFactory=#watermarkClients"
                                + "&headerFilterStrategy=#contractHeaders&synchronous=true&recordMetadata=false")
                    .end()
                .endDoTry()
                .doCatch(Exception.class)
                    // The next one tells as much.
                    .bean("relayObserver", "watermarkFailed")
                .end();
    }
}
