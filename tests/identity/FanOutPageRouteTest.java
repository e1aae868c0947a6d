package tests.identity;

import static org.apache.camel.builder.AdviceWith.adviceWith;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.UUID;
import org.apache.camel.Exchange;
import org.apache.camel.NamedNode;
import org.apache.camel.Processor;
import org.apache.camel.Route;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.component.mock.MockEndpoint;
import org.apache.camel.spi.Registry;
import org.apache.camel.spi.TransactedPolicy;
import org.apache.camel.test.junit5.CamelTestSupport;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;
import processors.identity.LeaseLostException;
import processors.identity.Page;
import routes.identity.FanOutPageRoute;

/** The wiring of one route alone: whom it asks, and what it does with their answers (docs/editing-routes.md). */
@DisplayName("The route fan-out-page")
class FanOutPageRouteTest extends CamelTestSupport {

    @Override
    protected RouteBuilder createRouteBuilder() {
        return new FanOutPageRoute();
    }

    @Override
    protected void bindToRegistry(Registry registry) {
        registry.bind("identity-db", new PGSimpleDataSource()); // nobody asks it: see below
        registry.bind("identity-tx", new NoTransaction());
    }

    @BeforeEach
    void answerInsteadOfOthers() throws Exception {
        adviceWith(context, "fan-out-page", route -> {
            route.interceptSendToEndpoint("sql:.*select-page.*")
                    .skipSendToOriginalEndpoint()
                    .to("mock:select-page");
            route.interceptSendToEndpoint("sql:.*checkpoint.*")
                    .skipSendToOriginalEndpoint()
                    .to("mock:checkpoint");
            route.interceptSendToEndpoint("direct:access-snapshots")
                    .skipSendToOriginalEndpoint()
                    .to("mock:snapshots");
        });
    }

    @Test
    @DisplayName("FAN-12 a page without users appends nothing, and is a checkpoint all the same")
    void emptyPage() throws Exception {
        answer("mock:select-page", Page.of(List.of()));
        answer("mock:checkpoint", "the lease as it is now");
        getMockEndpoint("mock:snapshots").expectedMessageCount(0);
        getMockEndpoint("mock:checkpoint").expectedMessageCount(1);

        var exchange = template.send("direct:fan-out-page", FanOutPageRouteTest::begin);

        assertThat(exchange.getException()).isNull();
        assertThat(exchange.getVariable("checkpoint")).isEqualTo("the lease as it is now");
        MockEndpoint.assertIsSatisfied(context);
    }

    @Test
    @DisplayName(
            "FAN-05 a checkpoint that changes no row means that the lease is lost: the page fails, and is rolled back")
    void leaseLost() {
        answer("mock:select-page", Page.of(List.of()));
        answer("mock:checkpoint", null);

        var exchange = template.send("direct:fan-out-page", FanOutPageRouteTest::begin);

        assertThat(exchange.getException()).isInstanceOf(LeaseLostException.class);
    }

    private static void begin(Exchange exchange) {
        exchange.setVariable("jobRunId", UUID.randomUUID());
    }

    private void answer(String endpoint, @Nullable Object body) {
        getMockEndpoint(endpoint)
                .whenAnyExchangeReceived(exchange -> exchange.getMessage().setBody(body));
    }

    /** The transaction is the database's, which is not there. */
    private static final class NoTransaction implements TransactedPolicy {

        @Override
        public void beforeWrap(Route route, NamedNode definition) {}

        @Override
        public Processor wrap(Route route, Processor processor) {
            return processor;
        }
    }
}
