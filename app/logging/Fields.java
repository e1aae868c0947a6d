package app.logging;

import ch.qos.logback.classic.pattern.ClassicConverter;
import ch.qos.logback.classic.spi.ILoggingEvent;
import java.util.List;
import org.slf4j.event.KeyValuePair;
import processors.tracing.LogIds;

/** {@code %fields} of a pattern: the fields of a line, and the ids of its scope, as {@code  key=value}. */
public final class Fields extends ClassicConverter {

    private static final List<String> IDS = List.of(LogIds.CORRELATION_ID, LogIds.TRACE_ID, LogIds.SPAN_ID);

    @Override
    public String convert(ILoggingEvent event) {
        var pairs = event.getKeyValuePairs();
        var ids = event.getMDCPropertyMap();
        if ((pairs == null || pairs.isEmpty()) && ids.isEmpty()) {
            return "";
        }
        var text = new StringBuilder();
        if (pairs != null) {
            pairs.forEach(pair -> append(text, pair.key, pair.value));
        }
        for (var id : IDS) {
            if (ids.containsKey(id) && !contains(pairs, id)) {
                append(text, id, ids.get(id));
            }
        }
        return text.toString();
    }

    /** Whether the line has such a field of its own, which counts before that of its scope. */
    static boolean contains(List<KeyValuePair> pairs, String key) {
        if (pairs != null) {
            for (var pair : pairs) {
                if (pair.key.equals(key)) {
                    return true;
                }
            }
        }
        return false;
    }

    private static void append(StringBuilder text, String key, Object value) {
        text.append(' ').append(key).append('=');
        int from = text.length();
        text.append(value);
        for (int i = from; i < text.length(); i++) {
            if (Character.isISOControl(text.charAt(i))) {
                text.setCharAt(i, ' '); // a value stays on its line
            }
        }
    }
}
