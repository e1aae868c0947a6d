package tests.news;

import java.util.UUID;
import org.apache.kafka.common.header.internals.RecordHeaders;
import processors.consuming.Received;
import processors.news.Arrival;
import tests.support.UserEvent;

/** One event of a history that a test makes up. */
record Event(UUID messageId, UUID user, long version, boolean block, String name) {

    static Event upsert(UUID user, long version, String name) {
        return new Event(UUID.randomUUID(), user, version + 1, false, name);
    }

    /** The same message, delivered again. */
    Event again() {
        return this;
    }

    UserEvent record() {
        var event = block ? UserEvent.blocked(user, version) : UserEvent.upserted(user, version, name, null);
        return event.messageId(messageId);
    }

    Arrival arrival() {
        var record = record();
        return Arrival.of(new Received("users", 0, 0, null, record.value(), new RecordHeaders(record.headers())))
                .checked();
    }
}
