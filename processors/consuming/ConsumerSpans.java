package processors.consuming;

import io.opentelemetry.api.trace.Span;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.camel.Exchange;
import org.apache.camel.spi.CamelInternalProcessorAdvice;
import org.jspecify.annotations.Nullable;
import processors.tracing.LogIds;
import processors.tracing.Tracing;

/**
 * The spans of a consumer, by route (REP-20): {@code receive} from the poll to the committed offsets, {@code handle} until the
 * records are stored and their dead letters sent, {@code store} for each writing of the database. See {@link PollTraces}.
 */
public final class ConsumerSpans {

    private final Tracing tracing;
    private final String consumer;
    private final String group;

    private ConsumerSpans(Tracing tracing, String consumer, String group) {
        this.tracing = tracing;
        this.consumer = consumer;
        this.group = group;
    }

    public static Map<String, CamelInternalProcessorAdvice<?>> of(Tracing tracing, String consumer, String group) {
        var spans = new ConsumerSpans(tracing, consumer, group);
        return Map.of(
                consumer,
                spans.new Receive(),
                consumer + "-handle",
                spans.new Handle(),
                consumer + "-store",
                new Store());
    }

    /** What the waiting of all consumers adds to their spans. */
    public static CamelInternalProcessorAdvice<?> retries() {
        return new Retry();
    }

    private final class Receive implements CamelInternalProcessorAdvice<PollTraces> {

        @Override
        public PollTraces before(Exchange exchange) {
            var traces = new PollTraces(tracing, consumer, group, Tracing.now());
            exchange.setProperty(PollTraces.PROPERTY, traces);
            return traces;
        }

        @Override
        public void after(Exchange exchange, PollTraces traces) {
            exchange.removeProperty(PollTraces.PROPERTY);
            traces.acknowledged(exchange.getException());
        }
    }

    private final class Handle implements CamelInternalProcessorAdvice<PollTraces> {

        @Override
        @SuppressWarnings("unchecked")
        public PollTraces before(Exchange exchange) {
            var polled = exchange.getProperty(PollTraces.PROPERTY, PollTraces.class);
            var traces = polled != null ? polled : new PollTraces(tracing, consumer, group, null);
            traces.handle((List<Received>) exchange.getMessage().getBody());
            exchange.setProperty(PollTraces.PROPERTY, traces);
            LogIds.put(traces.ofAll());
            return traces;
        }

        @Override
        public void after(Exchange exchange, PollTraces traces) {
            LogIds.put(null);
            traces.handled(exchange.getException());
        }
    }

    private static final class Store implements CamelInternalProcessorAdvice<List<Span>> {

        @Override
        @SuppressWarnings("unchecked")
        public List<Span> before(Exchange exchange) {
            var traces = exchange.getProperty(PollTraces.PROPERTY, PollTraces.class);
            return traces.store((List<? extends Arrived>) Objects.requireNonNull(exchange.getVariable("part"), "part"));
        }

        @Override
        public void after(Exchange exchange, List<Span> spans) {
            spans.forEach(span -> PollTraces.end(span, exchange.getException()));
        }
    }

    /** A failure after which a step is tried again. */
    private static final class Retry implements CamelInternalProcessorAdvice<Void> {

        @Override
        public @Nullable Void before(Exchange exchange) {
            var traces = exchange.getProperty(PollTraces.PROPERTY, PollTraces.class);
            var failure = exchange.getProperty(Exchange.EXCEPTION_CAUGHT, Exception.class);
            if (traces != null && failure != null) {
                traces.retried(failure);
            }
            return null;
        }

        @Override
        public void after(Exchange exchange, @Nullable Void nothing) {}

        @Override
        public boolean hasState() {
            return false;
        }
    }
}
