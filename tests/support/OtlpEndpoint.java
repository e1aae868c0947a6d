package tests.support;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.opentelemetry.proto.collector.trace.v1.ExportTraceServiceRequest;
import io.opentelemetry.proto.common.v1.AnyValue;
import io.opentelemetry.proto.common.v1.KeyValue;
import io.opentelemetry.proto.trace.v1.Status.StatusCode;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** What collects traces in production: an OTLP/HTTP endpoint, which keeps every span that it is sent. */
public final class OtlpEndpoint implements AutoCloseable {

    private final HttpServer server;
    private final List<Span> spans = new CopyOnWriteArrayList<>();

    /**
     * A span as it arrived.
     *
     * @param parentId empty for the first one of a trace
     * @param attributes by name, numbers as text
     * @param events the attributes of each event, its name among them
     */
    public record Span(
            Map<String, String> resource,
            String traceId,
            String id,
            String parentId,
            String name,
            Map<String, String> attributes,
            List<Map<String, String>> events,
            boolean failed) {

        public String attribute(String key) {
            return attributes.get(key);
        }

        /** As a record's header names it. */
        public boolean isNamedBy(String traceparent) {
            return traceparent.startsWith("00-" + traceId + "-" + id + "-");
        }
    }

    public OtlpEndpoint() {
        try {
            server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        server.createContext("/v1/traces", this::receive);
        server.start();
    }

    /** The setting tracing.otlp-endpoint. */
    public String url() {
        return "http://localhost:" + server.getAddress().getPort();
    }

    public List<Span> spans() {
        return List.copyOf(spans);
    }

    public List<Span> spans(String name) {
        return spans.stream().filter(span -> span.name().equals(name)).toList();
    }

    private void receive(HttpExchange http) throws IOException {
        try (http) {
            var request = ExportTraceServiceRequest.parseFrom(http.getRequestBody());
            for (var resource : request.getResourceSpansList()) {
                var about = map(resource.getResource().getAttributesList());
                for (var scope : resource.getScopeSpansList()) {
                    scope.getSpansList().forEach(span -> spans.add(span(about, span)));
                }
            }
            http.getResponseHeaders().set("Content-Type", "application/x-protobuf");
            http.sendResponseHeaders(200, -1);
        }
    }

    private static Span span(Map<String, String> resource, io.opentelemetry.proto.trace.v1.Span span) {
        return new Span(
                resource,
                hex(span.getTraceId().toByteArray()),
                hex(span.getSpanId().toByteArray()),
                hex(span.getParentSpanId().toByteArray()),
                span.getName(),
                map(span.getAttributesList()),
                span.getEventsList().stream()
                        .map(event -> {
                            var attributes = map(event.getAttributesList());
                            attributes.put("name", event.getName());
                            return attributes;
                        })
                        .toList(),
                span.getStatus().getCode() == StatusCode.STATUS_CODE_ERROR);
    }

    private static String hex(byte[] bytes) {
        return HexFormat.of().formatHex(bytes);
    }

    private static Map<String, String> map(List<KeyValue> attributes) {
        var map = new TreeMap<String, String>();
        attributes.forEach(attribute -> map.put(attribute.getKey(), text(attribute.getValue())));
        return map;
    }

    private static String text(AnyValue value) {
        return switch (value.getValueCase()) {
            case STRING_VALUE -> value.getStringValue();
            case INT_VALUE -> Long.toString(value.getIntValue());
            case BOOL_VALUE -> Boolean.toString(value.getBoolValue());
            default -> value.toString();
        };
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
