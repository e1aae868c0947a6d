package processors.news;

import org.jspecify.annotations.Nullable;
import processors.consuming.Arrived;
import processors.consuming.Metadata;
import processors.consuming.Received;
import processors.consuming.RejectedException;
import processors.consuming.Rejection;

/**
 * A record with what is known of it so far.
 *
 * @param metadata null where the reading says why
 * @param reading {@link Reading.Unread} until the record is {@link #checked}
 */
public record Arrival(Received source, @Nullable Metadata metadata, Reading reading) implements Arrived {

    /** What the reading of a record has come to. */
    public sealed interface Reading {

        /** Its value has not been looked at. */
        record Unread() implements Reading {}

        record Readable(UserEvent event) implements Reading {}

        record Rejected(Rejection rejection) implements Reading {}

        /** An event of a type that is not for us. */
        record OtherType() implements Reading {}
    }

    /** Reads the headers only: whether the record is a duplicate is decided before its value is checked (REP-04). */
    public static Arrival of(Received source) {
        var eventType = Metadata.text(source.headers(), "EventType");
        if (eventType != null && !UserEvents.isKnown(eventType)) {
            return new Arrival(source, null, new Reading.OtherType());
        }
        try {
            return new Arrival(source, Metadata.of(source.headers(), UserEvents.INVALID_PAYLOAD), new Reading.Unread());
        } catch (RejectedException e) {
            return new Arrival(source, null, new Reading.Rejected(e.rejection()));
        }
    }

    /** The same record, its value read (REP-05). */
    public Arrival checked() {
        if (metadata == null || !(reading instanceof Reading.Unread)) {
            return this;
        }
        try {
            return new Arrival(
                    source, metadata, new Reading.Readable(UserEvents.read(metadata.eventType(), source.value())));
        } catch (RejectedException e) {
            return new Arrival(source, metadata, new Reading.Rejected(e.rejection()));
        }
    }

    /** The idempotency key (REP-04); null for a record that leaves no mark. */
    public @Nullable String idempotencyKey() {
        return metadata == null ? null : "news-identity-users:" + metadata.eventType() + ":" + metadata.messageId();
    }

    /** Null unless the record is readable. */
    public @Nullable UserEvent event() {
        return reading instanceof Reading.Readable readable ? readable.event() : null;
    }

    /** Whether the contract's version is one that is not known: it is applied all the same (REP-03). */
    public boolean otherContractVersion() {
        return !Metadata.CONTRACT_VERSION.equals(Metadata.text(source.headers(), "ContractVersion"));
    }
}
