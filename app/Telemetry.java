package app;

import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.MeterProvider;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.common.CompletableResultCode;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.data.SpanData;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.opentelemetry.sdk.trace.samplers.Sampler;
import java.net.URI;
import java.time.Duration;
import java.util.Collection;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import processors.tracing.Tracing;

/**
 * Sends spans to an OTLP endpoint (FAN-18). Nothing waits for it: spans are sent by a thread of its own, and dropped when the
 * endpoint does not take them. Exists only where the settings name an endpoint.
 */
final class Telemetry implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger("access.tracing");

    private static final Duration SEND_EVERY = Duration.ofSeconds(1);
    private static final Duration SEND_PATIENCE = Duration.ofSeconds(5);
    private static final int MOST_WAITING = 8_192;
    /** What is left of the grace period of a stop belongs to others. */
    private static final long FLUSH_SECONDS = 2;

    private final SdkTracerProvider provider;
    private final Tracing tracing;

    Telemetry(URI endpoint, double sampleRatio) {
        var spans = traces(endpoint);
        var exporter = OtlpHttpSpanExporter.builder()
                .setEndpoint(spans)
                .setTimeout(SEND_PATIENCE)
                .setConnectTimeout(Duration.ofSeconds(2))
                .setMeterProvider(MeterProvider.noop())
                .build();
        provider = SdkTracerProvider.builder()
                .setResource(Resource.create(Attributes.of(
                        AttributeKey.stringKey("service.name"),
                        "access-routes",
                        AttributeKey.stringKey("service.instance.id"),
                        UUID.randomUUID().toString())))
                .setSampler(Sampler.parentBased(Sampler.traceIdRatioBased(sampleRatio)))
                .addSpanProcessor(BatchSpanProcessor.builder(new Announced(exporter, spans))
                        .setScheduleDelay(SEND_EVERY)
                        .setExporterTimeout(SEND_PATIENCE)
                        .setMaxQueueSize(MOST_WAITING)
                        .setMeterProvider(MeterProvider.noop())
                        .build())
                .build();
        tracing = new Tracing(
                OpenTelemetrySdk.builder().setTracerProvider(provider).build());
    }

    Tracing tracing() {
        return tracing;
    }

    /** As OTEL_EXPORTER_OTLP_ENDPOINT has it: the endpoint takes all signals, each at a path of its own. */
    private static String traces(URI endpoint) {
        var base = endpoint.toString().replaceAll("/+$", "");
        return base.endsWith("/v1/traces") ? base : base + "/v1/traces";
    }

    /** Sends what is left, for a moment at most. */
    @Override
    public void close() {
        provider.shutdown().join(FLUSH_SECONDS, TimeUnit.SECONDS);
    }

    /** Says once that the endpoint is away, and once that it is back; OpenTelemetry's own log is off (logback.xml). */
    private record Announced(SpanExporter exporter, String endpoint, AtomicBoolean away) implements SpanExporter {

        private Announced(SpanExporter exporter, String endpoint) {
            this(exporter, endpoint, new AtomicBoolean());
        }

        @Override
        public CompletableResultCode export(Collection<SpanData> spans) {
            var sent = exporter.export(spans);
            sent.whenComplete(() -> {
                if (away.getAndSet(!sent.isSuccess()) == sent.isSuccess()) {
                    if (sent.isSuccess()) {
                        LOG.atInfo().addKeyValue("endpoint", endpoint).log("traces are sent again");
                    } else {
                        LOG.atWarn().addKeyValue("endpoint", endpoint).log("traces cannot be sent, they are dropped");
                    }
                }
            });
            return sent;
        }

        @Override
        public CompletableResultCode flush() {
            return exporter.flush();
        }

        @Override
        public CompletableResultCode shutdown() {
            return exporter.shutdown();
        }
    }
}
