package routes.operator;

import org.apache.camel.ExchangeTimedOutException;
import org.apache.camel.builder.RouteBuilder;
import processors.operator.OperatorPage;

/**
 * The operator's page, on the management port; runs only with {@code management.operator-page=true}. A request never asks
 * PostgreSQL or Kafka itself: it wakes those who do, waits for a moment, and shows what is on the desk.
 */
public class OperatorPageRoute extends RouteBuilder {

    @Override
    public void configure() {
        // Camel binds it to the management server, the only one there is, and runs it on a thread that may wait.
        from("platform-http:/observe/operator?httpMethodRestrict=GET&headerFilterStrategy=#operatorHeaders")
                .routeId("operator-page")
                .description("Shows an operator what was found last")
                .errorHandler(noErrorHandler())
                .setVariable("paused").exchange(e -> "pause".equals(e.getMessage().getHeader("CamelHttpQuery")))
                .to("seda:operator-readiness?size=1&discardWhenFull=true&waitForTaskToComplete=Never")
                .filter(simple("{{identity.enabled}}"))
                    .doTry()
                        .to("seda:operator-look?waitForTaskToComplete=Always&timeout=1500")
                    .doCatch(ExchangeTimedOutException.class)
                        .bean("operatorDesk", "unanswered")
                    .end()
                .end()
                .setBody(method("operatorDesk", "view"))
                .setBody(method(OperatorPage.class, "html"))
                .setHeader("Content-Type", constant("text/html; charset=utf-8"))
                .setHeader("Content-Security-Policy", constant(OperatorPage.CONTENT_SECURITY_POLICY))
                .setHeader("X-Content-Type-Options", constant("nosniff"))
                .setHeader("Referrer-Policy", constant("no-referrer"))
                .setHeader("Cache-Control", constant("no-store"));

        from("seda:operator-readiness?size=1&pollTimeout=100")
                .routeId("operator-readiness")
                .description("Asks readiness, as a probe does; every ten seconds at most, and only while somebody looks")
                .filter(method("operatorDesk", "isReadinessDue"))
                    .setBody(method("readiness", "ask"))
                    .bean("operatorDesk", "answered")
                .end();
    }
}
