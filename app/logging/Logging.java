package app.logging;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.OutputStreamAppender;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.bridge.SLF4JBridgeHandler;

/** The log of a process, from the moment at which its settings are known. */
public final class Logging {

    private Logging() {}

    /**
     * Gives every line of this process one form, also those that libraries write through java.util.logging.
     *
     * @param json one JSON object a line; else as logback.xml has it
     */
    public static void use(boolean json) {
        SLF4JBridgeHandler.removeHandlersForRootLogger();
        SLF4JBridgeHandler.install();
        if (json && LoggerFactory.getILoggerFactory() instanceof LoggerContext context) {
            context.getLogger(Logger.ROOT_LOGGER_NAME).iteratorForAppenders().forEachRemaining(appender -> {
                if (appender instanceof OutputStreamAppender<ILoggingEvent> console) {
                    var lines = new JsonLines();
                    lines.setContext(context);
                    lines.start();
                    console.setEncoder(lines);
                }
            });
        }
    }

    /** Nothing is logged meanwhile: for a command, which itself says what became of its work. */
    public static <T> T silently(Supplier<T> work) {
        var root = (ch.qos.logback.classic.Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
        var level = root.getLevel();
        root.setLevel(Level.OFF);
        try {
            return work.get();
        } finally {
            root.setLevel(level);
        }
    }
}
