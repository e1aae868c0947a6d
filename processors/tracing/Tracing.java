package processors.tracing;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.api.trace.propagation.W3CTraceContextPropagator;
import io.opentelemetry.context.Context;
import io.opentelemetry.context.propagation.TextMapGetter;
import java.sql.SQLException;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;
import processors.failures.Failures;

/**
 * Starts spans, and reads and writes {@code traceparent} (W3C Trace Context; FAN-18, REP-20). Where a span belongs is said by
 * whoever starts it, never by the thread: exchanges cannot share a context (cases.md 42).
 */
public final class Tracing {

    /** The header of a record and of a caller's exchange, and the variable that the outbox row takes it from. */
    public static final String TRACEPARENT = "traceparent";

    public static final AttributeKey<String> MESSAGING_SYSTEM = AttributeKey.stringKey("messaging.system");
    public static final AttributeKey<String> MESSAGING_DESTINATION =
            AttributeKey.stringKey("messaging.destination.name");
    public static final AttributeKey<Long> MESSAGING_COUNT = AttributeKey.longKey("messaging.batch.message_count");

    private static final AttributeKey<String> EXCEPTION_TYPE = AttributeKey.stringKey("exception.type");
    private static final AttributeKey<String> ERROR_TYPE = AttributeKey.stringKey("error.type");
    private static final AttributeKey<String> SQL_STATE = AttributeKey.stringKey("db.response.status_code");

    private static final TextMapGetter<String> ALONE = new TextMapGetter<>() {
        @Override
        public Iterable<String> keys(String traceparent) {
            return List.of(TRACEPARENT);
        }

        @Override
        public @Nullable String get(@Nullable String traceparent, String key) {
            return key.equals(TRACEPARENT) ? traceparent : null;
        }
    };

    private final Tracer tracer;

    public Tracing(OpenTelemetry openTelemetry) {
        tracer = openTelemetry.getTracer("access-routes");
    }

    /** @param parent an invalid one for the first span of a trace */
    public SpanBuilder span(String name, SpanContext parent) {
        var span = tracer.spanBuilder(name);
        return parent.isValid() ? span.setParent(Context.root().with(Span.wrap(parent))) : span.setNoParent();
    }

    /** For spans that are started when what they are about is known. */
    public static Instant now() {
        return Instant.now();
    }

    /** Invalid where there is no traceparent, or one that cannot be read: such a trace begins here. */
    public static SpanContext read(@Nullable String traceparent) {
        if (traceparent == null) {
            return SpanContext.getInvalid();
        }
        return Span.fromContext(W3CTraceContextPropagator.getInstance().extract(Context.root(), traceparent, ALONE))
                .getSpanContext();
    }

    public static String write(SpanContext span) {
        return "00-" + span.getTraceId() + "-" + span.getSpanId() + "-"
                + span.getTraceFlags().asHex();
    }

    /**
     * Ends a span as it should end after a failure. Of that, a span holds only what kind it is: messages may quote whom or
     * what it was about.
     */
    public static void fail(Span span, Throwable failure) {
        note(span, failure);
        span.setStatus(StatusCode.ERROR);
        span.setAttribute(ERROR_TYPE, Failures.root(failure).getClass().getName());
    }

    /** Notes a failure after which it went on. */
    public static void note(Span span, Throwable failure) {
        var noted = Attributes.builder()
                .put(EXCEPTION_TYPE, Failures.root(failure).getClass().getName());
        for (var cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof SQLException sql && sql.getSQLState() != null) {
                noted.put(SQL_STATE, sql.getSQLState());
                break;
            }
        }
        span.addEvent("exception", noted.build());
    }
}
