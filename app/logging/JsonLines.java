package app.logging;

import ch.qos.logback.classic.pattern.ThrowableProxyConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.encoder.EncoderBase;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One JSON object a line: time, level, logger, thread and message, then the fields of the line and the ids of its scope by
 * their own names, and the stack trace. (Logback's own JsonEncoder writes fields as a list of objects with one key each,
 * which no query finds, and the time as a number.)
 */
public final class JsonLines extends EncoderBase<ILoggingEvent> {

    private static final JsonFactory JSON = new JsonFactory();
    private static final DateTimeFormatter TIME =
            DateTimeFormatter.ofPattern("uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'").withZone(ZoneOffset.UTC);
    private static final byte[] NOTHING = {};

    private final ThrowableProxyConverter stackTraces = new ThrowableProxyConverter();

    @Override
    public void start() {
        stackTraces.setOptionList(List.of("full"));
        stackTraces.start();
        super.start();
    }

    @Override
    public byte[] headerBytes() {
        return NOTHING;
    }

    @Override
    public byte[] footerBytes() {
        return NOTHING;
    }

    @Override
    public byte[] encode(ILoggingEvent event) {
        var line = new StringWriter(512);
        try (var json = JSON.createGenerator(line)) {
            json.writeStartObject();
            json.writeStringField("timestamp", TIME.format(event.getInstant()));
            json.writeStringField("level", event.getLevel().toString());
            json.writeStringField("logger", event.getLoggerName());
            json.writeStringField("thread", event.getThreadName());
            json.writeStringField("message", event.getFormattedMessage());
            var pairs = event.getKeyValuePairs();
            if (pairs != null) {
                for (var pair : pairs) {
                    write(json, pair.key, pair.value);
                }
            }
            for (var id : event.getMDCPropertyMap().entrySet()) {
                if (!Fields.contains(pairs, id.getKey())) {
                    json.writeStringField(id.getKey(), id.getValue());
                }
            }
            if (event.getThrowableProxy() != null) {
                json.writeStringField("stackTrace", stackTraces.convert(event));
            }
            json.writeEndObject();
            json.writeRaw('\n');
        } catch (IOException e) {
            throw new UncheckedIOException(e); // a string is always written
        }
        return line.toString().getBytes(StandardCharsets.UTF_8);
    }

    private static void write(JsonGenerator json, String key, @Nullable Object value) throws IOException {
        json.writeFieldName(key);
        if (value == null) {
            json.writeNull();
        } else if (value instanceof Integer || value instanceof Long) {
            json.writeNumber(((Number) value).longValue());
        } else if (value instanceof Boolean truth) {
            json.writeBoolean(truth);
        } else if (value instanceof Collection<?> values) {
            json.writeStartArray();
            for (var one : values) {
                json.writeString(String.valueOf(one));
            }
            json.writeEndArray();
        } else {
            json.writeString(value.toString());
        }
    }
}
