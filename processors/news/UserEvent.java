package processors.news;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** What a record says about a user, checked and mapped (REP-05, REP-08 … REP-10). */
public sealed interface UserEvent {

    UUID userId();

    /** At least 1; greater is newer. */
    long version();

    /**
     * A user as a whole.
     *
     * @param displayName 1 to 384 code points
     * @param cut whether the name was longer
     * @param companyId null is normal (an investor)
     * @param unknownEnums the fields whose value is none that the mapping knows: Type, Status
     */
    record Upserted(
            UUID userId,
            long version,
            String displayName,
            boolean cut,
            PostAuthorType type,
            @Nullable UUID companyId,
            AuthorStatus status,
            List<String> unknownEnums)
            implements UserEvent {}

    /** A user was blocked; nothing else is said about them. */
    record Blocked(UUID userId, long version) implements UserEvent {}
}
