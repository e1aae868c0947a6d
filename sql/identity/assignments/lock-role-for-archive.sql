-- Locks a role to be archived, and tells what it is. The strongest lock: a grant in flight, of ours or of anybody whose
-- insert the foreign key checks, is waited for, and then its assignment is revoked with the others.
-- Parameters: roleId.
-- Locks: the role's row until the transaction ends.
-- Returns: the role; no row for an unknown role.
select r.id, r.code, r.version, r.status
from identity.role_definitions r
where r.id = :#roleId
for update
