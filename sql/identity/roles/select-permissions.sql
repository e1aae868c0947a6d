-- The permission codes of a role. A statement of its own after lock-role.sql: in one statement with the lock, the codes
-- would be those from before the wait.
-- Parameters: change (roleId).
-- Locks: none; the role's row is locked.
-- Returns: one row with the codes in one array.
select array(select p.permission_code
             from identity.role_permissions p
             where p.role_id = :#${variable.change.roleId}
             order by p.permission_code) as codes
