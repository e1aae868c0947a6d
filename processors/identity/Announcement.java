package processors.identity;

import java.util.UUID;

/**
 * What {@code direct:access-snapshots} publishes: one full snapshot for each of these users, for one cause.
 *
 * @param userIds a PostgreSQL array literal of distinct user ids
 * @param reason the ChangeReason of every event
 * @param version the Version of every event, at least 1 (EVT-05)
 * @param versionSource what the version counts: {@code role:} and the role's id (contract.md, header VersionSource)
 * @param correlationId the same for all events of a run or an operation (FAN-15)
 */
public record Announcement(
        String userIds, AccessChangeReason reason, long version, String versionSource, UUID correlationId) {

    /** A page of a fan-out: the version is the one that the task was queued with, not the role's present one. */
    public static Announcement ofPage(Page page, Lease lease, UUID jobRunId) {
        return ofRole(page, lease.roleId(), lease.roleVersion(), jobRunId);
    }

    /** The few users of a role whose permission set has just changed. */
    public static Announcement ofRole(Page page, Role role, long roleVersion) {
        return ofRole(page, role.roleId(), roleVersion, UUID.randomUUID());
    }

    private static Announcement ofRole(Page page, UUID roleId, long roleVersion, UUID correlationId) {
        if (page.userIds() == null) {
            throw new IllegalArgumentException("an empty page announces nothing");
        }
        return new Announcement(
                page.userIds(),
                AccessChangeReason.RolePermissionsChanged,
                roleVersion,
                "role:" + roleId,
                correlationId);
    }
}
