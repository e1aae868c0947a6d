package app;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.camel.CamelContext;
import org.apache.camel.NamedNode;
import org.apache.camel.Route;
import org.apache.camel.main.Main;
import org.apache.camel.spi.CamelInternalProcessorAdvice;
import org.apache.camel.spi.InternalProcessor;
import org.apache.camel.spi.RoutePolicy;
import org.apache.camel.spi.RoutePolicyFactory;
import org.apache.camel.support.RoutePolicySupport;
import org.jspecify.annotations.Nullable;
import processors.consuming.ConsumerSpans;
import processors.identity.IdentitySpans;
import processors.tracing.Tracing;

/**
 * Puts spans and log ids around routes without a word in the routes (FAN-16, FAN-18, REP-20). A RoutePolicy alone could not: its
 * {@code onExchangeDone} is not called while Camel stops, and the task that is handed back then would have no span; so each
 * policy adds an advice, which is ({@code TracesTest} pins it).
 */
final class RouteScopes implements RoutePolicyFactory {

    private final Map<String, List<CamelInternalProcessorAdvice<?>>> advices = new HashMap<>();

    private RouteScopes() {}

    /** Without an endpoint there are no spans, and no OpenTelemetry. */
    static void wire(Main main, Settings settings, Set<Context> contexts) {
        var scopes = new RouteScopes();
        if (contexts.contains(Context.IDENTITY)) {
            scopes.add(IdentitySpans.correlations());
        }
        settings.tracingEndpoint().ifPresent(endpoint -> {
            var telemetry = new Telemetry(endpoint, settings.tracingSampleRatio());
            Consumers.closeLast(main, telemetry);
            contexts.forEach(context -> scopes.add(spans(context, settings, telemetry.tracing())));
            scopes.add(Map.of("consume-wait", ConsumerSpans.retries()));
        });
        main.bind("routeScopes", scopes);
    }

    private static Map<String, CamelInternalProcessorAdvice<?>> spans(
            Context context, Settings settings, Tracing tracing) {
        return switch (context) {
            case IDENTITY -> IdentitySpans.of(tracing, settings.accessTopic());
            case NEWS ->
                ConsumerSpans.of(
                        tracing, context.consumer(), settings.authorReplica().group());
            case ACCESS_CACHE ->
                ConsumerSpans.of(
                        tracing, context.consumer(), settings.accessCache().group());
        };
    }

    private void add(Map<String, CamelInternalProcessorAdvice<?>> byRoute) {
        byRoute.forEach((route, advice) ->
                advices.computeIfAbsent(route, id -> new ArrayList<>()).add(advice));
    }

    @Override
    public @Nullable RoutePolicy createRoutePolicy(CamelContext camel, String routeId, NamedNode route) {
        var ofRoute = advices.get(routeId);
        return ofRoute == null ? null : new AroundRoute(ofRoute);
    }

    private static final class AroundRoute extends RoutePolicySupport {

        private final List<CamelInternalProcessorAdvice<?>> advices;

        private AroundRoute(List<CamelInternalProcessorAdvice<?>> advices) {
            this.advices = advices;
        }

        @Override
        public void onInit(Route route) {
            advices.forEach(((InternalProcessor) route.getProcessor())::addAdvice);
        }
    }
}
