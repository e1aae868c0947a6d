package processors.identity;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Whether assignments may be written as asked. */
public final class Assignments {

    private Assignments() {}

    /** @throws AssignmentRejectedException if there is no such role or it is archived, also since a moment ago */
    public static void requireGrantable(AssignmentGrant grant, @Nullable Role role) {
        requireRole(grant.roleId(), role);
        if (role.archived()) {
            throw new AssignmentRejectedException(
                    "role " + role.roleId() + " (" + role.code() + ") is archived: nobody can be given it any more");
        }
    }

    /** @throws AssignmentRejectedException if there is no such role */
    public static void requireRole(UUID roleId, @Nullable Role role) {
        if (role == null) {
            throw new AssignmentRejectedException("role " + roleId + " does not exist");
        }
    }

    /** @throws AssignmentRejectedException if it was not written, with the reason */
    public static void requireWritten(AssignmentGrant grant, GrantOutcome outcome) {
        if (!outcome.userExists()) {
            throw new AssignmentRejectedException("user " + grant.userId() + " does not exist");
        }
        if (!outcome.inFuture()) {
            throw new AssignmentRejectedException(
                    "assignment " + grant.assignmentId() + " would end at " + grant.expiresAt() + ", which is past");
        }
        if (!outcome.written()) {
            throw new AssignmentRejectedException("assignment " + grant.assignmentId() + " exists already");
        }
    }

    /** @throws AssignmentRejectedException if one of them does not exist */
    public static void requireKnown(AssignmentHolders holders) {
        if (!holders.unknown().isEmpty()) {
            throw new AssignmentRejectedException("assignments that do not exist: " + holders.unknown());
        }
    }
}
