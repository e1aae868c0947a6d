package tests.support;

import app.logging.Fields;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** What the log of an instance shows that is set up as in production (app/logback.xml), while this is open, instead of printing it. */
public final class ProductionLog implements AutoCloseable {

    private static final Pattern LOGGER = Pattern.compile("<logger name=\"([^\"]+)\" level=\"(\\w+)\"/>");
    /** Whose lines they are; of Kafka's, those of the clients: the embedded broker logs into the same process. */
    private static final List<String> ROOTS = List.of(
            "access", "app", "org.apache.camel", "org.apache.kafka", "com.zaxxer.hikari", "org.springframework");

    private static final Pattern BROKER = Pattern.compile("org\\.apache\\.kafka\\.(?!clients\\.|common\\.).*");
    private static final Fields FIELDS = new Fields();

    private final LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    private final Map<Logger, @Nullable Level> before = new HashMap<>();
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final AppenderBase<ILoggingEvent> appender = new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
            if (!BROKER.matcher(event.getLoggerName()).matches()) {
                lines.add(event.getLevel() + " " + event.getLoggerName() + " - " + event.getFormattedMessage()
                        + FIELDS.convert(event));
            }
        }
    };

    public ProductionLog() {
        appender.start();
        for (var logger : new ArrayList<>(context.getLoggerList())) {
            if (logger.getLevel() != null && isOurs(logger.getName())) {
                set(logger, null);
            }
        }
        for (var root : ROOTS) {
            var logger = context.getLogger(root);
            set(logger, Level.INFO);
            logger.setAdditive(false);
            logger.addAppender(appender);
        }
        try {
            LOGGER.matcher(Files.readString(Path.of("app/logback.xml")))
                    .results()
                    .filter(found -> isOurs(found.group(1)))
                    .forEach(found -> set(context.getLogger(found.group(1)), Level.toLevel(found.group(2))));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static boolean isOurs(String name) {
        return ROOTS.stream().anyMatch(root -> name.equals(root) || name.startsWith(root + "."));
    }

    private void set(Logger logger, @Nullable Level level) {
        if (!before.containsKey(logger)) { // also where there was no level
            before.put(logger, logger.getLevel());
        }
        logger.setLevel(level);
    }

    /** Level, logger, message and fields of each. */
    public List<String> lines() {
        return List.copyOf(lines);
    }

    /** Those that somebody should look at: warnings and errors. */
    public List<String> warnings() {
        return lines.stream()
                .filter(line -> line.matches("(?s)(WARN|ERROR) .*"))
                .toList();
    }

    public String text() {
        return String.join("\n", lines);
    }

    @Override
    public void close() {
        for (var root : ROOTS) {
            context.getLogger(root).detachAppender(appender);
            context.getLogger(root).setAdditive(true);
        }
        before.forEach(Logger::setLevel);
    }
}
