package tests.operations;

import app.logging.Fields;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** What an instance logs at INFO, kept for a test instead of printed. */
final class CapturedLog implements AutoCloseable {

    private static final Fields FIELDS = new Fields();
    /** Those that the tests' configuration sets apart. */
    private static final List<String> LOGGERS = List.of("access", "access.replica", "app");

    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final List<Level> levels =
            LOGGERS.stream().map(name -> logger(name).getLevel()).toList();

    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            lines.add(event.getLevel() + " " + event.getLoggerName() + " - " + event.getFormattedMessage()
                    + FIELDS.convert(event));
        }
    };

    CapturedLog() {
        appender.start();
        for (var name : LOGGERS) {
            logger(name).setLevel(Level.INFO);
        }
        for (var name : List.of("access", "app")) {
            logger(name).addAppender(appender);
            logger(name).setAdditive(false);
        }
    }

    String text() {
        return String.join("\n", lines);
    }

    @Override
    public void close() {
        for (var name : List.of("access", "app")) {
            logger(name).detachAppender(appender);
            logger(name).setAdditive(true);
        }
        for (int i = 0; i < LOGGERS.size(); i++) {
            logger(LOGGERS.get(i)).setLevel(levels.get(i));
        }
    }

    private static Logger logger(String name) {
        return (Logger) LoggerFactory.getLogger(name);
    }
}
