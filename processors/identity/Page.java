package processors.identity;

import static java.util.stream.Collectors.joining;

import java.util.Collection;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Distinct users whom one transaction concerns: a page of a role (FAN-07), or whoever a change has touched.
 *
 * @param userIds the user ids as a PostgreSQL array literal, which goes back to the database
 *     as it came; null on an empty page
 * @param size number of users
 * @param lastUserId the next cursor of a walk over a role; null on an empty page, and where nothing is walked
 */
public record Page(
        @Nullable String userIds, int size, @Nullable UUID lastUserId) {

    /** A page of these users, whatever their order. */
    public static Page of(Collection<UUID> users) {
        return users.isEmpty()
                ? new Page(null, 0, null)
                : new Page(users.stream().map(UUID::toString).collect(joining(",", "{", "}")), users.size(), null);
    }

    /** A page of one user. */
    public static Page ofOne(UUID user) {
        return of(List.of(user));
    }

    /** @throws IllegalArgumentException if the page is empty */
    String requireUserIds() {
        if (userIds == null) {
            throw new IllegalArgumentException("an empty page announces nothing");
        }
        return userIds;
    }
}
