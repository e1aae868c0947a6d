-- Locks a role for a change of its permission set, and tells what it is.
-- Parameters: change (roleId).
-- Locks: the role's row until the transaction ends; two changes of one role come one after the other. Not its key: who
-- writes an assignment of the role need not wait, and cannot deadlock with the users' locks that follow.
-- Returns: the role; no row for an unknown role.
select r.id, r.code, r.version, r.status
from identity.role_definitions r
where r.id = :#${variable.change.roleId}
for no key update
