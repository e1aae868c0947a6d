-- Announces users by their ids, also such as no longer exist: consumers may hold something of them.
-- Parameters: userIds (array literal).
-- Locks: none beyond the inserted rows.
-- Returns: one row without meaning.
select identity.announce_access(cast(:userIds as uuid[]), 'RolePermissionsChanged')
