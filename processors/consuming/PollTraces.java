package processors.consuming;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;
import processors.tracing.Tracing;

/**
 * The traces that the records of one poll belong to (REP-20): each goes on with its own spans {@code receive}, {@code handle}
 * and {@code store}. Records with the same {@code traceparent}, a page's for example, share them; those without one, or with one
 * that cannot be read, are a trace that begins here. So what it costs grows with the causes of events, not with the events.
 */
public final class PollTraces {

    /** The property of the exchange that handles the poll; not there while nothing is traced. */
    public static final String PROPERTY = "tracing.poll";

    private static final AttributeKey<String> GROUP = AttributeKey.stringKey("messaging.consumer.group.name");
    private static final AttributeKey<String> CONSUMER = AttributeKey.stringKey("consumer");
    private static final String NONE = "";

    private final Tracing tracing;
    private final String consumer;
    private final String group;
    private final @Nullable Instant received;
    private final Map<String, Trace> traces = new LinkedHashMap<>();

    /** What goes on of one trace. */
    private static final class Trace {
        private final SpanContext producer;
        private int records;
        private @Nullable Span receive;
        private Span handle = Span.getInvalid();

        private Trace(SpanContext producer) {
            this.producer = producer;
        }
    }

    /** @param received when the poll came; null for records that are handled again, without a poll */
    PollTraces(Tracing tracing, String consumer, String group, @Nullable Instant received) {
        this.tracing = tracing;
        this.consumer = consumer;
        this.group = group;
        this.received = received;
    }

    /** The span in whose scope the record with these headers is handled. */
    public SpanContext of(Headers headers) {
        return trace(traceparent(headers)).handle.getSpanContext();
    }

    /** The span in whose scope all of the records are handled; null if there are several. */
    @Nullable
    SpanContext ofAll() {
        var distinct = distinct();
        return distinct.size() == 1 ? distinct.iterator().next().handle.getSpanContext() : null;
    }

    void handle(List<Received> records) {
        count(records.stream().map(Received::headers).toList()).forEach((trace, count) -> trace.records = count);
        var topic = records.isEmpty() ? "" : records.get(0).topic();
        for (var trace : distinct()) {
            var parent = trace.producer;
            if (received != null) {
                trace.receive = tracing.span("receive", parent)
                        .setSpanKind(SpanKind.CONSUMER)
                        .setStartTimestamp(received)
                        .setAttribute(Tracing.MESSAGING_SYSTEM, "kafka")
                        .setAttribute(Tracing.MESSAGING_DESTINATION, topic)
                        .setAttribute(GROUP, group)
                        .setAttribute(CONSUMER, consumer)
                        .setAttribute(Tracing.MESSAGING_COUNT, (long) trace.records)
                        .startSpan();
                parent = trace.receive.getSpanContext();
            }
            trace.handle = start("handle", parent, trace.records);
        }
    }

    /** A step could not be done, and is tried again. */
    void retried(Throwable failure) {
        distinct().forEach(trace -> Tracing.note(trace.handle, failure));
    }

    void handled(@Nullable Exception failure) {
        distinct().forEach(trace -> end(trace.handle, failure));
    }

    /** The offsets of the poll are committed, or it is given up. */
    void acknowledged(@Nullable Exception failure) {
        for (var trace : distinct()) {
            if (trace.receive != null) {
                end(trace.receive, failure);
            }
        }
    }

    /** The database is asked to store a part of the poll. */
    List<Span> store(List<? extends Arrived> part) {
        return count(part.stream().map(record -> record.source().headers()).toList()).entrySet().stream()
                .map(trace -> start("store", trace.getKey().handle.getSpanContext(), trace.getValue()))
                .toList();
    }

    static void end(Span span, @Nullable Exception failure) {
        if (failure != null) {
            Tracing.fail(span, failure);
        }
        span.end();
    }

    private Span start(String name, SpanContext parent, int records) {
        return tracing.span(name, parent)
                .setAttribute(CONSUMER, consumer)
                .setAttribute(Tracing.MESSAGING_COUNT, (long) records)
                .startSpan();
    }

    private Map<Trace, Integer> count(List<Headers> records) {
        var counts = new IdentityHashMap<Trace, Integer>();
        byte @Nullable [] last = null;
        @Nullable Trace trace = null;
        for (var headers : records) {
            var traceparent = traceparent(headers);
            if (trace == null || !Arrays.equals(traceparent, last)) {
                trace = trace(traceparent);
                last = traceparent;
            }
            counts.merge(trace, 1, Integer::sum);
        }
        return counts;
    }

    private static byte @Nullable [] traceparent(Headers headers) {
        var header = headers.lastHeader(Tracing.TRACEPARENT);
        return header == null ? null : header.value();
    }

    private Trace trace(byte @Nullable [] traceparent) {
        var text = traceparent == null ? NONE : new String(traceparent, StandardCharsets.ISO_8859_1);
        var known = traces.get(text);
        if (known != null) {
            return known;
        }
        var producer = Tracing.read(text);
        var trace = producer.isValid() || text.equals(NONE) ? new Trace(producer) : trace(null);
        traces.put(text, trace);
        return trace;
    }

    private Collection<Trace> distinct() {
        var distinct = new IdentityHashMap<Trace, Trace>();
        traces.values().forEach(trace -> distinct.put(trace, trace));
        return distinct.keySet();
    }
}
