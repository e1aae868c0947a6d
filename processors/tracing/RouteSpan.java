package processors.tracing;

import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import java.util.Objects;
import org.apache.camel.Exchange;
import org.apache.camel.spi.CamelInternalProcessorAdvice;
import org.jspecify.annotations.Nullable;

/**
 * A span for each exchange of a route, from its first step to its last, commit and rollback included; its name is the route's
 * id. Its parent is the span in which the route is called, or else what the caller's header {@code traceparent} says. In its
 * scope the variable {@code traceparent} names it, for the rows of the outbox.
 */
public class RouteSpan implements CamelInternalProcessorAdvice<RouteSpan.Open> {

    private static final String PRESENT = "tracing.span";

    private final Tracing tracing;
    private final String routeId;

    public RouteSpan(Tracing tracing, String routeId) {
        this.tracing = tracing;
        this.routeId = routeId;
    }

    /** A span that has not ended, and what was there before it. */
    public static final class Open {

        private final Span span;
        private final @Nullable Open outer;
        private final @Nullable Object outerTraceparent;
        private int events;

        private Open(Span span, @Nullable Open outer, @Nullable Object outerTraceparent) {
            this.span = span;
            this.outer = outer;
            this.outerTraceparent = outerTraceparent;
        }

        public Span span() {
            return span;
        }

        /** How many events were appended to the outbox in its scope. */
        public int events() {
            return events;
        }

        private @Nullable SpanContext outerContext() {
            return outer == null ? null : outer.span.getSpanContext();
        }
    }

    /** The exchange has come: what is known now. */
    protected void begun(Exchange exchange, Span span) {}

    /** The exchange leaves, perhaps with an exception: what is known now. */
    protected void ended(Exchange exchange, Open open) {}

    /** Whether there was nothing to do: then nobody hears of the span. */
    protected boolean isIdle(Open open) {
        return false;
    }

    @Override
    public final Open before(Exchange exchange) {
        var outer = exchange.getProperty(PRESENT, Open.class);
        var parent = outer != null
                ? outer.span.getSpanContext()
                : Tracing.read(
                        exchange.getMessage().getHeader(Tracing.TRACEPARENT) instanceof String text ? text : null);
        var span = tracing.span(routeId, parent).startSpan();
        begun(exchange, span);
        var open = new Open(span, outer, exchange.getVariable(Tracing.TRACEPARENT));
        exchange.setProperty(PRESENT, open);
        exchange.setVariable(Tracing.TRACEPARENT, Tracing.write(span.getSpanContext()));
        LogIds.put(span.getSpanContext());
        return open;
    }

    @Override
    public final void after(Exchange exchange, Open open) {
        LogIds.put(open.outerContext());
        if (open.outerTraceparent == null) {
            exchange.removeVariable(Tracing.TRACEPARENT);
        } else {
            exchange.setVariable(Tracing.TRACEPARENT, open.outerTraceparent);
        }
        if (open.outer == null) {
            exchange.removeProperty(PRESENT);
        } else {
            exchange.setProperty(PRESENT, open.outer);
        }
        if (exchange.getException() != null) {
            Tracing.fail(open.span, exchange.getException());
        } else if (isIdle(open)) {
            return; // a span that never ends is never sent
        }
        ended(exchange, open);
        open.span.end();
    }

    /** Counts the events that a route appends, for the span in whose scope it is called. */
    public static final class Events implements CamelInternalProcessorAdvice<Void> {

        private final String countHeader;

        /** @param countHeader where the route leaves the number */
        public Events(String countHeader) {
            this.countHeader = countHeader;
        }

        @Override
        public @Nullable Void before(Exchange exchange) {
            return null;
        }

        @Override
        public void after(Exchange exchange, @Nullable Void nothing) {
            var open = exchange.getProperty(PRESENT, Open.class);
            if (open != null && exchange.getException() == null) {
                open.events +=
                        Objects.requireNonNullElse(exchange.getMessage().getHeader(countHeader, Integer.class), 0);
            }
        }

        @Override
        public boolean hasState() {
            return false;
        }
    }
}
