package processors.tracing;

import io.opentelemetry.api.trace.SpanContext;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** The ids that stand on every log line that is written in their scope, whoever writes it (FAN-16). */
public final class LogIds {

    public static final String CORRELATION_ID = "correlationId";
    public static final String TRACE_ID = "traceId";
    public static final String SPAN_ID = "spanId";

    private LogIds() {}

    /**
     * Puts an id on the lines that this thread writes from now on; null: takes it off. Whoever calls it puts back what it
     * returns: a thread that is used again tells nothing of what it did before.
     *
     * @return what stood there
     */
    public static @Nullable String put(String name, @Nullable String id) {
        var before = MDC.get(name);
        if (id == null) {
            MDC.remove(name);
        } else {
            MDC.put(name, id);
        }
        return before;
    }

    /** Puts the ids of a span there; null: takes them off. */
    public static void put(@Nullable SpanContext span) {
        put(TRACE_ID, span == null ? null : span.getTraceId());
        put(SPAN_ID, span == null ? null : span.getSpanId());
    }
}
