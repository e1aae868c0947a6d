package processors.tracing;

import java.util.function.Function;
import org.apache.camel.Exchange;
import org.apache.camel.spi.CamelInternalProcessorAdvice;
import org.jspecify.annotations.Nullable;

/** The CorrelationId of what a route does, on every log line meanwhile. */
public final class RouteCorrelation implements CamelInternalProcessorAdvice<String> {

    private final Function<Exchange, @Nullable Object> correlationId;

    public RouteCorrelation(Function<Exchange, @Nullable Object> correlationId) {
        this.correlationId = correlationId;
    }

    @Override
    public @Nullable String before(Exchange exchange) {
        var id = correlationId.apply(exchange);
        return LogIds.put(LogIds.CORRELATION_ID, id == null ? null : id.toString());
    }

    @Override
    public void after(Exchange exchange, @Nullable String outer) {
        LogIds.put(LogIds.CORRELATION_ID, outer);
    }
}
