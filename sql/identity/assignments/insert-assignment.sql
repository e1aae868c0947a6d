-- Writes a new assignment with the next version of its user (EVT-05).
-- Parameters: grant (assignmentId, userId, roleId, scope, expiresAt).
-- Locks: the row; the user's lock is held.
-- Returns: one row: whether the user exists, whether the end lies in the future, and whether the row was written; it was
-- not when its id exists already.
with checked as (
    select exists (select from identity.users u where u.id = :#${variable.grant.userId})                 as user_exists,
           coalesce(cast(:#${variable.grant.expiresAt} as timestamptz) > clock_timestamp(), true)         as in_future
), written as (
    insert into identity.role_assignments (id, user_id, role_id, status, scope_type, scope_organization_id,
                                           scope_project_group_id, scope_project_id, expires_at, version)
    select :#${variable.grant.assignmentId}, :#${variable.grant.userId}, :#${variable.grant.roleId}, 'Active',
           :#${variable.grant.scope.typeName}, cast(:#${variable.grant.scope.organizationId} as uuid),
           cast(:#${variable.grant.scope.projectGroupId} as uuid), cast(:#${variable.grant.scope.projectId} as uuid),
           cast(:#${variable.grant.expiresAt} as timestamptz), identity.access_version(:#${variable.grant.userId}) + 1
    from checked c
    where c.user_exists and c.in_future
    on conflict (id) do nothing
    returning id
)
select c.user_exists, c.in_future, exists (select from written) as written
from checked c
