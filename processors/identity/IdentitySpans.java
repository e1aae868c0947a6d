package processors.identity;

import static io.opentelemetry.api.common.AttributeKey.longKey;
import static io.opentelemetry.api.common.AttributeKey.stringKey;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.apache.camel.Exchange;
import org.apache.camel.spi.CamelInternalProcessorAdvice;
import org.jspecify.annotations.Nullable;
import processors.tracing.RouteCorrelation;
import processors.tracing.RouteSpan;
import processors.tracing.Tracing;

/**
 * The spans of the identity context (FAN-18): a task and its pages; every other cause of events, where a caller's trace goes
 * on; and what the relay publishes. The outbox takes the trace from a page to its records. No span holds a user, an
 * assignment or a permission.
 *
 * <p>They stand here, beside the routes. Camel's own tracer (camel-opentelemetry2) makes a span for each exchange and each
 * endpoint: a page is one exchange for 500 users, a batch of the relay or of a consumer one for records of many traces, so
 * that no record could carry its page's span, and no consumer could join it ({@code TracesTest} pins it).
 */
public final class IdentitySpans {

    private static final AttributeKey<String> JOB_RUN_ID = stringKey("jobRunId");
    private static final AttributeKey<String> TASK_ID = stringKey("taskId");
    private static final AttributeKey<String> ROLE_ID = stringKey("roleId");
    private static final AttributeKey<String> RESULT = stringKey("result");
    private static final AttributeKey<Long> ROWS = longKey("rows");

    /** Called by whoever changes something, each in one transaction. */
    private static final List<String> OPERATIONS =
            List.of("grant-assignment", "revoke-assignments", "archive-user", "archive-role");

    /** Called again and again, also when there is nothing to do. */
    private static final List<String> JOB_PAGES = List.of("announcements-page", "expiry-page", "role-archivals-page");

    private IdentitySpans() {}

    /** What the log lines of a route tell of the work at hand, by route; with and without spans. */
    public static Map<String, CamelInternalProcessorAdvice<?>> correlations() {
        return Map.of(
                "fan-out-task", new RouteCorrelation(exchange -> exchange.getVariable("jobRunId")),
                "access-snapshots",
                        new RouteCorrelation(exchange -> exchange.getVariable("announcement", Announcement.class)
                                .correlationId()));
    }

    /** The spans by route. */
    public static Map<String, CamelInternalProcessorAdvice<?>> of(Tracing tracing, String topic) {
        var spans = new LinkedHashMap<String, CamelInternalProcessorAdvice<?>>();
        spans.put("fan-out-task", new Task(tracing));
        spans.put("fan-out-page", new Cause(tracing, "fan-out-page"));
        spans.put("set-role-permissions", new RoleSpan(tracing));
        OPERATIONS.forEach(route -> spans.put(route, new Cause(tracing, route)));
        JOB_PAGES.forEach(route -> spans.put(route, new JobPage(tracing, route)));
        spans.put("access-snapshots", new RouteSpan.Events("CamelSqlUpdateCount"));
        spans.put("relay-batch", new Publishing(tracing, topic));
        return spans;
    }

    /** From the lease to whatever became of the task in this worker's hands. */
    private static final class Task extends RouteSpan {

        private Task(Tracing tracing) {
            super(tracing, "fan-out-task");
        }

        @Override
        protected void begun(Exchange exchange, Span span) {
            var lease = exchange.getVariable("lease", Lease.class);
            span.setAttribute(JOB_RUN_ID, String.valueOf(exchange.getVariable("jobRunId")));
            span.setAttribute(TASK_ID, lease.taskId().toString());
            span.setAttribute(ROLE_ID, lease.roleId().toString());
            span.setAttribute("attempt", lease.attempt());
            span.setAttribute("batchSize", exchange.getVariable("batchSize", Integer.class));
        }

        @Override
        protected void ended(Exchange exchange, Open open) {
            var result = exchange.getVariable("run", FanOutRun.class);
            open.span()
                    .setAttribute(
                            "processedCount",
                            exchange.getVariable("lease", Lease.class).processedCount());
            open.span().setAttribute(RESULT, result.label());
            if (result == FanOutRun.ATTEMPT_FAILED || result == FanOutRun.FAILED) {
                open.span().setStatus(StatusCode.ERROR);
            }
        }
    }

    /** One transaction that appends events. */
    private static class Cause extends RouteSpan {

        private Cause(Tracing tracing, String routeId) {
            super(tracing, routeId);
        }

        @Override
        protected void ended(Exchange exchange, Open open) {
            // What was rolled back is told by nobody.
            open.span().setAttribute(ROWS, exchange.getException() == null ? open.events() : 0);
        }
    }

    private static final class JobPage extends Cause {

        private JobPage(Tracing tracing, String routeId) {
            super(tracing, routeId);
        }

        @Override
        protected boolean isIdle(Open open) {
            return open.events() == 0;
        }
    }

    /** A change of a role: its events, or the task that will tell its users. */
    private static final class RoleSpan extends Cause {

        private RoleSpan(Tracing tracing) {
            super(tracing, "set-role-permissions");
        }

        @Override
        protected void ended(Exchange exchange, Open open) {
            super.ended(exchange, open);
            if (exchange.getMessage().getBody() instanceof RoleChanged change) {
                open.span().setAttribute(ROLE_ID, change.roleId().toString());
                open.span().setAttribute("changed", change.changed());
                if (change.taskId() != null) {
                    open.span().setAttribute(TASK_ID, change.taskId().toString());
                }
            }
        }
    }

    /** A batch of a lane: a span {@code publish} in each of the traces that its rows belong to. */
    private static final class Publishing implements CamelInternalProcessorAdvice<Instant> {

        private final Tracing tracing;
        private final String topic;

        private Publishing(Tracing tracing, String topic) {
            this.tracing = tracing;
            this.topic = topic;
        }

        @Override
        public Instant before(Exchange exchange) {
            return Tracing.now();
        }

        @Override
        public void after(Exchange exchange, Instant begun) {
            var batch = exchange.getVariable("batch", RelayBatch.class);
            if (batch == null || batch.size() == 0) {
                return;
            }
            int lane = exchange.getVariable("lane", Lane.class).number();
            rowsByTrace(batch).forEach((traceparent, rows) -> {
                var span = tracing.span("publish", Tracing.read(traceparent))
                        .setSpanKind(SpanKind.PRODUCER)
                        .setStartTimestamp(begun)
                        .setAttribute(Tracing.MESSAGING_SYSTEM, "kafka")
                        .setAttribute(Tracing.MESSAGING_DESTINATION, topic)
                        .setAttribute(Tracing.MESSAGING_COUNT, (long) rows)
                        .setAttribute("lane", lane)
                        .startSpan();
                if (exchange.getException() != null) {
                    Tracing.fail(span, exchange.getException());
                }
                span.end();
            });
        }

        /** Rows that were not traced belong to no trace. */
        private static Map<String, Integer> rowsByTrace(RelayBatch batch) {
            var counts = new LinkedHashMap<String, Integer>();
            @Nullable String last = null;
            int run = 0;
            for (var row : batch.rows()) {
                // A page's rows stand together: most are counted by a comparison.
                if (!Objects.equals(row.traceparent(), last)) {
                    count(counts, last, run);
                    last = row.traceparent();
                    run = 0;
                }
                run++;
            }
            count(counts, last, run);
            return counts;
        }

        private static void count(Map<String, Integer> counts, @Nullable String traceparent, int rows) {
            if (traceparent != null) {
                counts.merge(traceparent, rows, Integer::sum);
            }
        }
    }
}
