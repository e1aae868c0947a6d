-- Raises the version of a role whose permission set has changed (FAN-02).
-- Parameters: change (roleId).
-- Locks: the role's row, which is locked already.
-- Returns: the new version.
update identity.role_definitions r
set version = r.version + 1
where r.id = :#${variable.change.roleId}
returning r.version
