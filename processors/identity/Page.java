package processors.identity;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One batch of the users of a role (FAN-07).
 *
 * @param userIds the distinct user ids in ascending order as a PostgreSQL array literal, which goes back to the database
 *     as it came; null on an empty page
 * @param size number of users
 * @param lastUserId the next cursor; null on an empty page
 */
public record Page(
        @Nullable String userIds, int size, @Nullable UUID lastUserId) {}
