package processors.access;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import processors.consuming.Arrived;
import processors.consuming.Metadata;
import processors.consuming.Received;
import processors.consuming.RejectedException;
import processors.consuming.Rejection;

/**
 * A record, read.
 *
 * @param userIds whom it is about: one user; two where key and value name different ones, and none where neither can be read
 * @param metadata null where it cannot be read
 * @param versionSource null where the record does not say
 */
public record Arrival(
        Received source,
        List<UUID> userIds,
        @Nullable Metadata metadata,
        @Nullable VersionSource versionSource,
        Reading reading)
        implements Arrived {

    static final String UNREADABLE_KEY = "ACCESS_CACHE_UNREADABLE_KEY";
    static final String STORE_REFUSED = "ACCESS_CACHE_STORE_REFUSED";

    public Arrival {
        userIds = List.copyOf(userIds);
    }

    /** What the reading of a record has come to. */
    public sealed interface Reading {

        record Readable(AccessEvent event) implements Reading {}

        record Rejected(Rejection rejection) implements Reading {}

        /** An event of a type that is not for us. */
        record OtherType() implements Reading {}
    }

    public static Arrival of(Received source) {
        var eventType = Metadata.text(source.headers(), "EventType");
        if (eventType != null && !eventType.equals(AccessEvents.TYPE)) {
            return new Arrival(source, List.of(), null, null, new Reading.OtherType());
        }
        var key = key(source);
        Metadata metadata = null;
        AccessEvent event = null;
        Rejection rejection = null;
        try {
            event = AccessEvents.read(source.value());
            metadata = Metadata.of(source.headers(), AccessEvents.INVALID_PAYLOAD);
            if (key != null && !key.equals(event.userId())) {
                throw new RejectedException(AccessEvents.INVALID_PAYLOAD, "UserId is not the key");
            }
        } catch (RejectedException e) {
            rejection = e.rejection();
        }
        if (key == null) {
            rejection = new Rejection(UNREADABLE_KEY, "the key is not a UUID");
        }
        var named = event != null ? event.userId() : AccessEvents.userId(source.value());
        return new Arrival(
                source,
                Stream.of(Optional.ofNullable(key), Optional.ofNullable(named))
                        .flatMap(Optional::stream)
                        .distinct()
                        .toList(),
                metadata,
                VersionSource.of(source.headers()),
                event == null || rejection != null ? new Reading.Rejected(rejection) : new Reading.Readable(event));
    }

    /** The same record, which the database refuses. */
    Arrival refused(String sqlState) {
        return new Arrival(
                source,
                userIds,
                metadata,
                versionSource,
                new Reading.Rejected(
                        new Rejection(STORE_REFUSED, "the database refuses the row, SQLSTATE " + sqlState)));
    }

    /** Whether the contract's version is one that is not known: it is applied all the same (EVT-10). */
    public boolean otherContractVersion() {
        return !Metadata.CONTRACT_VERSION.equals(Metadata.text(source.headers(), "ContractVersion"));
    }

    private static @Nullable UUID key(Received source) {
        return source.key() == null ? null : Metadata.uuid(new String(source.key(), StandardCharsets.UTF_8));
    }
}
