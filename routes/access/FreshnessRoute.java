package routes.access;

import org.apache.camel.builder.RouteBuilder;

/**
 * How fresh the cache is, for readers that ask in SQL (EVT-12): until when everything that was committed in identity is
 * applied here; runs only where {@code access-cache.watermark-topic} names the relay's watermarks.
 */
public class FreshnessRoute extends RouteBuilder {

    @Override
    public void configure() {
        from("kafka:{{access-cache.watermark-topic}}?groupId={{access-cache.group}}.watermarks"
                        + "&brokers={{kafka.brokers}}&clientId=access-cache-watermarks&kafkaClientFactory=#consumerClients"
                        + "&keyDeserializer=org.apache.kafka.common.serialization.ByteArrayDeserializer"
                        + "&valueDeserializer=org.apache.kafka.common.serialization.ByteArrayDeserializer"
                        + "&headerFilterStrategy=#noHeaders"
                        // What was missed does not matter: the next one says more.
                        + "&autoOffsetReset=latest&pollTimeoutMs=500&pollOnError=RECONNECT"
                        + "&reconnectBackoffMaxMs=1000&shutdownTimeout=10000")
                .routeId("access-cache-watermarks")
                .description("Hears until when everything is out, and where in the topic")
                .doTry()
                    .bean("freshness", "heard")
                .doCatch(Exception.class)
                    .bean("accessCacheObserver", "freshnessFailed")
                .end();

        from("timer:access-cache-freshness?period={{access-cache.freshness-interval}}")
                .routeId("access-cache-freshness")
                .description("Notes until when everything is applied, as soon as the group has got that far")
                .filter(method("freshness", "isWaiting"))
                    .doTry()
                        .setBody(method("access-cache-reach", "get"))
                        .setVariable("appliedUntil", method("freshness", "reached"))
                        .filter(variable("appliedUntil").isNotNull())
                            .to("sql:classpath:sql/access/freshness/note-applied-until.sql?dataSource=#access-cache-db")
                            .bean("accessCacheObserver", "fresh")
                        .end()
                    .endDoTry()
                    .doCatch(Exception.class)
                        // The next watermark says as much, and more.
                        .bean("accessCacheObserver", "freshnessFailed")
                    .end()
                .end();
    }
}
