-- Makes the permission set of a role equal to the given one: removes what is not in it, adds what is missing.
-- Parameters: change (roleId), plan (permissionArray: the wanted codes).
-- Locks: the changed rows; the role's row is locked already.
-- Returns: nothing.
with wanted as (
    select distinct w.code from unnest(cast(:#${variable.plan.permissionArray} as text[])) as w (code)
), removed as (
    delete from identity.role_permissions p
    where p.role_id = :#${variable.change.roleId}
      and not exists (select from wanted w where w.code = p.permission_code)
)
insert into identity.role_permissions (role_id, permission_code)
select :#${variable.change.roleId}, w.code
from wanted w
where not exists (
    select from identity.role_permissions p
    where p.role_id = :#${variable.change.roleId} and p.permission_code = w.code)
