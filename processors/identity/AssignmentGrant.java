package processors.identity;

import java.time.OffsetDateTime;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A wish to give a role to a user: the body of {@code direct:grant-assignment}.
 *
 * @param assignmentId the id of the new assignment; one that exists already is refused, so a grant can be repeated safely
 * @param expiresAt when it ends by itself; null for never
 */
public record AssignmentGrant(
        UUID assignmentId,
        UUID userId,
        UUID roleId,
        ResourceScope scope,
        @Nullable OffsetDateTime expiresAt) {

    /** A new assignment without end. */
    public static AssignmentGrant of(UUID userId, UUID roleId, ResourceScope scope) {
        return new AssignmentGrant(UUID.randomUUID(), userId, roleId, scope, null);
    }

    /** The one user whom it concerns. */
    public Page holders() {
        return Page.ofOne(userId);
    }
}
