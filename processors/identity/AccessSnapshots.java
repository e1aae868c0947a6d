package processors.identity;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import processors.identity.UserAccessChanged.ActiveRoleAssignment;

/** From the rows of many users to one event for each of them. */
public final class AccessSnapshots {

    private AccessSnapshots() {}

    /**
     * Groups the rows by user; rows of one user stand together, as load-access.sql returns them.
     *
     * @return one non-empty list a user, in the order of the rows
     */
    public static List<List<AssignmentRow>> perUser(List<AssignmentRow> rows) {
        var users = new ArrayList<List<AssignmentRow>>();
        int from = 0;
        for (int to = 1; to <= rows.size(); to++) {
            if (to == rows.size()
                    || !rows.get(to).userId().equals(rows.get(from).userId())) {
                users.add(rows.subList(from, to));
                from = to;
            }
        }
        return users;
    }

    /** The event of one user, from all rows of that user. */
    public static UserAccessChanged event(List<AssignmentRow> rows, Announcement announcement) {
        var first = rows.get(0);
        var assignments = new ArrayList<ActiveRoleAssignment>(rows.size());
        for (var row : rows) {
            if (row.assignmentId() != null) {
                assignments.add(assignment(row));
            }
        }
        return new UserAccessChanged(
                first.userId(),
                first.companyId(),
                announcement.reason(),
                assignments,
                announcement.versions().of(first.userId()));
    }

    private static ActiveRoleAssignment assignment(AssignmentRow row) {
        return new ActiveRoleAssignment(
                Objects.requireNonNull(row.assignmentId()),
                Objects.requireNonNull(row.roleId()),
                Objects.requireNonNull(row.roleCode()),
                Objects.requireNonNull(row.scopeType()),
                row.scopeOrganizationId(),
                row.scopeProjectGroupId(),
                row.scopeProjectId(),
                row.expiresAt());
    }
}
