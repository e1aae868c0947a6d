package processors.identity;

import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;

/** What a change of a role's permission set amounts to (FAN-02). */
public final class RoleChanges {

    /**
     * The permission set that the role shall have, against the one it has.
     *
     * @throws RoleChangeRejectedException if the role is archived
     */
    public Plan plan(RoleChange change, Role role, RolePermissions present) {
        if (role.archived()) {
            throw new RoleChangeRejectedException("role " + role.roleId() + " (" + role.code()
                    + ") is archived: its permissions can no longer change");
        }
        var wanted = new TreeSet<String>();
        switch (change.kind()) {
            case REPLACE -> wanted.addAll(change.codes());
            case ADD -> {
                wanted.addAll(present.codes());
                wanted.addAll(change.codes());
            }
            case REMOVE -> {
                wanted.addAll(present.codes());
                wanted.removeAll(change.codes());
            }
        }
        return new Plan(wanted, wanted.equals(new TreeSet<>(present.codes())));
    }

    /** The same set again: no new version and no event. */
    public RoleChanged unchanged(Role role) {
        return new RoleChanged(role.roleId(), role.version(), false, 0, null);
    }

    /** Many users: a task tells them. */
    public RoleChanged queued(Role role, long version, UUID taskId) {
        return new RoleChanged(role.roleId(), version, true, 0, taskId);
    }

    /** Few users: their events are in the same transaction. */
    public RoleChanged published(Role role, long version, Page page) {
        return new RoleChanged(role.roleId(), version, true, page.size(), null);
    }

    /**
     * @param permissions the codes that the role shall have
     * @param changesNothing whether it has exactly these already
     */
    public record Plan(Set<String> permissions, boolean changesNothing) {

        /** For the statement that writes them. */
        public String[] permissionArray() {
            return permissions.toArray(String[]::new);
        }
    }
}
