package processors.identity;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Whose assignments are to be revoked.
 *
 * @param userIds an array literal of distinct user ids; null when none of the assignments exists
 * @param unknown the assignments that do not exist
 */
public record AssignmentHolders(@Nullable String userIds, List<UUID> unknown) {}
