package processors.identity;

import java.util.List;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;

/** The step of the split that makes one user's rows that user's event. */
public final class UserAccessChangedStep implements Processor {

    /** The exchange property that keeps the event's user when the event has become bytes. */
    static final String USER_ID = "userId";

    @Override
    @SuppressWarnings("unchecked")
    public void process(Exchange exchange) {
        var rows = (List<AssignmentRow>) exchange.getMessage().getBody();
        var event = AccessSnapshots.event(rows, exchange.getVariable("announcement", Announcement.class));
        exchange.setProperty(USER_ID, event.userId());
        exchange.getMessage().setBody(event);
    }
}
