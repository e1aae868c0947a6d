package tests.security;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.regex.Pattern;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.utils.SecurityUtils;
import org.slf4j.LoggerFactory;

/** What the broker's authorizer has allowed and refused: its audit log, which has a line for each thing that was asked for. */
final class AuthorizerLog extends AppenderBase<ILoggingEvent> implements AutoCloseable {

    private static final Pattern LINE =
            Pattern.compile("Principal = User:(.*) is (Allowed|Denied) operation = (\\w+) from"
                    + " host = \\S+ on resource = (\\w+):LITERAL:(\\S+) for request = (\\w+) .*");

    private final List<Decision> decisions = new CopyOnWriteArrayList<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger("kafka.authorizer.logger");
    private final boolean additive = logger.isAdditive();

    AuthorizerLog() {
        setContext(logger.getLoggerContext());
        start();
        logger.setLevel(Level.DEBUG);
        logger.setAdditive(false);
        logger.addAppender(this);
    }

    /** What the broker said to one request. */
    record Decision(
            String user, boolean allowed, AclOperation operation, ResourceType type, String name, String request) {}

    @Override
    protected void append(ILoggingEvent event) {
        var line = LINE.matcher(event.getFormattedMessage());
        if (!line.matches()) {
            throw new AssertionError("no line of an authorizer: " + event.getFormattedMessage());
        }
        decisions.add(new Decision(
                line.group(1),
                line.group(2).equals("Allowed"),
                SecurityUtils.operation(line.group(3)),
                SecurityUtils.resourceType(line.group(4)),
                line.group(5),
                line.group(6)));
    }

    List<Decision> allowed() {
        return decisions.stream().filter(Decision::allowed).toList();
    }

    List<Decision> refused() {
        return decisions.stream().filter(decision -> !decision.allowed()).toList();
    }

    @Override
    public void close() {
        logger.detachAppender(this);
        logger.setLevel(null);
        logger.setAdditive(additive);
    }
}
