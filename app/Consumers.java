package app;

import app.db.RefusedRows;
import app.kafka.ConsumerClients;
import io.micrometer.core.instrument.MeterRegistry;
import org.apache.camel.Exchange;
import org.apache.camel.component.kafka.consumer.KafkaManualCommitFactory;
import org.apache.camel.main.Main;
import org.apache.camel.spi.HeaderFilterStrategy;
import org.jspecify.annotations.Nullable;
import processors.consuming.ConsumerObserver;
import processors.consuming.Isolation;
import processors.consuming.OffsetCommit;
import processors.consuming.Pauses;
import routes.consuming.DeadLetterRoute;
import routes.consuming.PatientBatchRoute;

/** What the consumers of all contexts share: their clients, and the routes around their transactions. */
final class Consumers {

    private Consumers() {}

    /** @param names of the consumers that this process runs */
    static void wire(Main main, Settings settings, MeterRegistry metrics, String... names) {
        var observer = new ConsumerObserver(metrics, names);
        main.bind("consumerObserver", observer);
        main.bind(
                "consumerClients",
                new ConsumerClients(settings.brokers(), settings.kafkaClient(), observer::kafkaFailed));
        main.bind("offsetCommits", (KafkaManualCommitFactory) OffsetCommit::new);
        main.bind("isolation", new Isolation(new RefusedRows()));
        main.bind("pauses", new Pauses());
        main.bind("noHeaders", new NoHeaders());
        main.configure().addRoutesBuilder(PatientBatchRoute.class, DeadLetterRoute.class);
    }

    /** Headers go as they came, in one object; as headers of an exchange they would lose duplicates and bytes. */
    private static final class NoHeaders implements HeaderFilterStrategy {

        @Override
        public boolean applyFilterToCamelHeaders(String name, @Nullable Object value, Exchange exchange) {
            return true;
        }

        @Override
        public boolean applyFilterToExternalHeaders(String name, @Nullable Object value, Exchange exchange) {
            return true;
        }
    }
}
