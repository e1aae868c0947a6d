package processors.consuming;

import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;
import org.slf4j.spi.LoggingEventBuilder;
import org.slf4j.spi.NOPLoggingEventBuilder;
import processors.tracing.LogIds;

/** What every log line about one record ends with; foreign text is shown only as a UUID. */
public final class RecordLine {

    private RecordLine() {}

    /** Whether nothing is written at this level, so that nothing need be put into words. */
    public static boolean isOff(LoggingEventBuilder line) {
        return line instanceof NOPLoggingEventBuilder;
    }

    /**
     * Adds the record's CorrelationId and, where it is traced, the span in which it is handled (REP-18, REP-20).
     *
     * @param traces null while nothing is traced
     */
    public static LoggingEventBuilder of(LoggingEventBuilder line, Headers headers, @Nullable PollTraces traces) {
        if (isOff(line)) {
            return line;
        }
        line.addKeyValue(LogIds.CORRELATION_ID, shown(Metadata.uuid(Metadata.text(headers, "CorrelationId"))));
        if (traces != null) {
            var span = traces.of(headers);
            line.addKeyValue(LogIds.TRACE_ID, span.getTraceId()).addKeyValue(LogIds.SPAN_ID, span.getSpanId());
        }
        return line;
    }

    /** A dash where there is nothing. */
    public static Object shown(@Nullable Object value) {
        return value == null ? "-" : value;
    }
}
