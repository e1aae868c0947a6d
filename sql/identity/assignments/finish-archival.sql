-- The last of a role's assignments are revoked: nothing is left to do for it.
-- Parameters: roleId.
-- Locks: the row.
-- Returns: nothing.
delete from identity.role_archivals a where a.role_id = :#roleId
