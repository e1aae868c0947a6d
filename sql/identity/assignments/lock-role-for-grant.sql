-- Locks a role against being archived while one of its assignments is written, and tells what it is. Archiving waits for
-- this transaction, or this statement for the archiving, and then it shows the archived role. Other grants and changes of
-- the permission set go on beside it.
-- Parameters: grant (roleId).
-- Locks: the role's key until the transaction ends.
-- Returns: the role; no row for an unknown role.
select r.id, r.code, r.version, r.status
from identity.role_definitions r
where r.id = :#${variable.grant.roleId}
for key share
