package routes.identity;

import org.apache.camel.builder.RouteBuilder;
import processors.identity.AccessRecords;
import processors.identity.RelayBatch;

/**
 * The relay of each lane: outbox → Kafka, in id order, a row deleted only when Kafka has committed it (design.md,
 * decision 4).
 *
 * <p>One batch is a transaction of the database around a transaction of Kafka: lock the lane · read · send · commit Kafka
 * · delete · commit the database. camel-kafka's own transactions cannot do that: they commit when the exchange ends,
 * after the DELETE, and they run {@code initTransactions} when a route starts, so a standby that starts would fence the
 * active publisher. So the endpoint's producer is one of {@link app.kafka.LanePublishers}, which opens and commits where
 * these routes say so ({@code RelayFencingTest} pins both).
 */
public class RelayLaneRoute extends RouteBuilder {

    /** As many as identity.outbox has (sql/migrations/identity/V2__outbox.sql). */
    public static final int LANES = 4;

    @Override
    public void configure() {
        for (int lane = 0; lane < LANES; lane++) {
            from("seda:relay-lane-" + lane + "?size=1&pollTimeout=100")
                    .routeId("relay-lane-" + lane)
                    .description("Publishes batch after batch of lane " + lane + " until it is empty, lost or failing")
                    .to("direct:relay-lane");

            from("direct:relay-send-" + lane)
                    .routeId("relay-send-" + lane)
                    .description("Sends a batch with the producer of lane " + lane + " and waits for every ack")
                    .errorHandler(noErrorHandler())
                    .to("kafka:{{identity.topic}}?clientId=access-relay-lane-" + lane
                            + "&kafkaClientFactory=#lanePublishers&headerFilterStrategy=#contractHeaders"
                            + "&synchronous=true&recordMetadata=false&batchWithIndividualHeaders=true"
                            + "&keySerializer=org.apache.kafka.common.serialization.ByteArraySerializer"
                            + "&valueSerializer=org.apache.kafka.common.serialization.ByteArraySerializer");
        }

        from("direct:relay-lane")
                .routeId("relay-lane")
                .description("The loop of every lane")
                .errorHandler(noErrorHandler())
                .setVariable("lane", body())
                .setVariable("publisher").method("lanePublishers", "publisherId")
                .setVariable("laneLeaseMillis").simple("{{identity.relay.lane-lease}}", Long.class)
                .setVariable("more", constant(true))
                .loopDoWhile(exchange -> exchange.getVariable("more", boolean.class)
                        && !exchange.getContext().isStopping())
                    .setVariable("more", constant(false))
                    .setVariable("batch", constant(RelayBatch.NONE))
                    .doTry()
                        .to("direct:relay-batch")
                        // Rows that were committed since a batch that is not full have a notification of their own.
                        .setVariable("more", variable("full"))
                        .bean("lanePublishers", "published")
                        .bean("relayObserver", "published")
                    .endDoTry()
                    .doCatch(Exception.class)
                        .bean("relayObserver", "failed")
                        .setVariable("refused", method("lanePublishers", "discard"))
                        .filter(simple("${variable.refused.size} > 0"))
                            .to("direct:relay-park")
                            .setVariable("more", constant(true))
                        .end()
                    .end()
                .end()
                // What is appended meanwhile goes out together: a transaction of Kafka costs the same for one row and for
                // thousands. A row that comes to an idle lane does not wait.
                .delay(simple("{{identity.relay.pause}}")).syncDelayed();

        from("direct:relay-batch")
                .routeId("relay-batch")
                .description("One batch of a lane: lock, read, send, commit Kafka, delete; one transaction")
                .errorHandler(noErrorHandler())
                .transacted("identity-tx")
                .setVariable("full", constant(false))
                .to("sql:classpath:sql/identity/relay/lock-lane.sql?dataSource=#identity-db&outputType=SelectOne")
                .filter(body().isNotNull())
                    .setVariable("scan").method("lanePublishers", "open")
                    .to("sql:classpath:sql/identity/relay/select-batch.sql?dataSource=#identity-db"
                            + "&outputClass=processors.identity.OutboxRow")
                    .setVariable("batch").method(RelayBatch.class, "of(${body})")
                    .setVariable("full").method(RelayBatch.class, "full(${variable.batch}, ${variable.scan})")
                    .filter(simple("${variable.batch.size} > 0"))
                        .bean("lanePublishers", "begin")
                        .process(new AccessRecords(getContext().resolvePropertyPlaceholders("{{identity.topic-v2.name}}")))
                        .toD("direct:relay-send-${variable.lane.number}")
                        .bean("lanePublishers", "commit")
                        .to("sql:classpath:sql/identity/relay/delete-batch.sql?dataSource=#identity-db")
                    .end()
                .end();

        from("direct:relay-park")
                .routeId("relay-park")
                .description("Parks the rows that Kafka can never take; the rows behind them go on")
                .errorHandler(noErrorHandler())
                .split(variable("refused"))
                    .to("sql:classpath:sql/identity/relay/park-row.sql?dataSource=#identity-db&noop=true")
                    .bean("relayObserver", "parked")
                .end();
    }
}
