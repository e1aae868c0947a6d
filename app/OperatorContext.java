package app;

import app.db.Databases;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Set;
import org.apache.camel.Exchange;
import org.apache.camel.main.BaseMainSupport;
import org.apache.camel.main.Main;
import org.apache.camel.main.MainListenerSupport;
import org.apache.camel.spi.HeaderFilterStrategy;
import org.jspecify.annotations.Nullable;
import processors.operator.OperatorDesk;
import routes.identity.OperatorLookRoute;
import routes.operator.OperatorPageRoute;

/** The operator's page: its routes, and everything that they name. */
final class OperatorContext {

    private OperatorContext() {}

    static void wire(Main main, Settings settings, MeterRegistry metrics) {
        main.bind("operatorDesk", new OperatorDesk(metrics, settings.identityEnabled()));
        main.bind("operatorHeaders", new OperatorHeaders());
        main.addMainListener(new MainListenerSupport() {
            @Override
            public void afterConfigure(BaseMainSupport configured) {
                var camel = configured.getCamelContext();
                camel.getRegistry().bind("readiness", new Readiness(camel));
            }
        });
        main.configure().addRoutesBuilder(OperatorPageRoute.class);
        if (settings.identityEnabled()) {
            var database = Databases.reader("operator", settings.identityDatabase());
            main.bind("operator-db", database);
            Consumers.closeLast(main, database);
            main.configure().addRoutesBuilder(OperatorLookRoute.class);
        }
    }

    /**
     * No header of a request becomes one of the exchange, for some of them tell components what to do; of ours only what the
     * page says to a browser goes out.
     */
    private static final class OperatorHeaders implements HeaderFilterStrategy {

        private static final Set<String> OUT = Set.of(
                "Cache-Control",
                "Content-Security-Policy",
                "Content-Type",
                "Referrer-Policy",
                "X-Content-Type-Options");

        @Override
        public boolean applyFilterToCamelHeaders(String name, @Nullable Object value, Exchange exchange) {
            return !OUT.contains(name);
        }

        @Override
        public boolean applyFilterToExternalHeaders(String name, @Nullable Object value, Exchange exchange) {
            return true;
        }
    }
}
