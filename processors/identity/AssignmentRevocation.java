package processors.identity;

import java.util.Collection;
import java.util.List;
import java.util.UUID;

/**
 * A wish to revoke assignments, of one user or of many, in one transaction: the body of {@code
 * direct:revoke-assignments}. Those that are not active any more are left as they are.
 *
 * @param assignmentIds 1 to {@value #MOST}
 */
public record AssignmentRevocation(List<UUID> assignmentIds) {

    /** Each may be of another user, and PostgreSQL's lock table has room for 6,400 locks by default. */
    public static final int MOST = 5_000;

    /** @throws AssignmentRejectedException if there are none or too many */
    public AssignmentRevocation {
        assignmentIds = List.copyOf(assignmentIds);
        if (assignmentIds.isEmpty() || assignmentIds.size() > MOST) {
            throw new AssignmentRejectedException(
                    "from 1 to " + MOST + " assignments are revoked at once, not " + assignmentIds.size());
        }
    }

    public static AssignmentRevocation of(Collection<UUID> assignmentIds) {
        return new AssignmentRevocation(List.copyOf(assignmentIds));
    }

    /** For the statements. */
    public UUID[] assignmentArray() {
        return assignmentIds.toArray(UUID[]::new);
    }
}
