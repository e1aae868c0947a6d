package processors.identity;

import java.util.HashMap;
import java.util.List;
import java.util.UUID;

/**
 * What {@code direct:access-snapshots} publishes: one full snapshot for each of these users, for one cause.
 *
 * @param userIds a PostgreSQL array literal of distinct user ids
 * @param reason the ChangeReason of every event
 * @param correlationId the same for all events of a run or an operation (FAN-15)
 */
public record Announcement(String userIds, AccessChangeReason reason, EventVersions versions, UUID correlationId) {

    /** A page of a fan-out: the version is the one that the task was queued with, not the role's present one. */
    public static Announcement ofPage(Page page, Lease lease, UUID jobRunId) {
        return ofRole(page, lease.roleId(), lease.roleVersion(), jobRunId);
    }

    /** The few users of a role whose permission set has just changed. */
    public static Announcement ofRole(Page page, Role role, long roleVersion) {
        return ofRole(page, role.roleId(), roleVersion, UUID.randomUUID());
    }

    private static Announcement ofRole(Page page, UUID roleId, long roleVersion, UUID correlationId) {
        return new Announcement(
                page.requireUserIds(),
                AccessChangeReason.RolePermissionsChanged,
                new EventVersions.OfRole(roleId, roleVersion),
                correlationId);
    }

    /** Users whose assignments have just changed; their versions are loaded when the users are locked. */
    public static Announcement ofAssignments(Page page, AccessChangeReason reason, UUID correlationId) {
        return new Announcement(page.requireUserIds(), reason, EventVersions.OfAssignments.UNKNOWN, correlationId);
    }

    /** Whether the versions of the users' assignments must be loaded first. */
    public boolean countsAssignments() {
        return versions instanceof EventVersions.OfAssignments;
    }

    /** The same with the users' versions. */
    public static Announcement versioned(Announcement announcement, List<UserVersion> versions) {
        var byUser = new HashMap<UUID, Long>(versions.size() * 2);
        versions.forEach(version -> byUser.put(version.userId(), version.version()));
        return new Announcement(
                announcement.userIds,
                announcement.reason,
                new EventVersions.OfAssignments(byUser),
                announcement.correlationId);
    }

    /** The header VersionSource of every event. */
    public String versionSource() {
        return versions.source();
    }
}
