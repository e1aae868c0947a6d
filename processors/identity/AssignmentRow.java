package processors.identity;

import java.time.OffsetDateTime;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * One active assignment of a user, or the one row without assignment of a user who has none: then everything from
 * {@code assignmentId} on is null.
 *
 * @param companyId the user's company; null is normal (an investor)
 */
public record AssignmentRow(
        UUID userId,
        @Nullable UUID companyId,
        @Nullable UUID assignmentId,
        @Nullable UUID roleId,
        @Nullable String roleCode,
        @Nullable String scopeType,
        @Nullable UUID scopeOrganizationId,
        @Nullable UUID scopeProjectGroupId,
        @Nullable UUID scopeProjectId,
        @Nullable OffsetDateTime expiresAt) {}
