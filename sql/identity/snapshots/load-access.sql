-- The active assignments of many users, role codes resolved, in one query (FAN-08): also those past ExpiresAt that the
-- expiry job has not reached (FAN-09), and none for a user who has none or no longer exists.
-- An assignment until infinity is one without end.
-- Parameters: announcement (userIds).
-- Locks: none; lock-users.sql comes first.
-- Returns: one row per assignment, ordered by user and assignment; one row with a null assignment for a user without any.
select u.id as user_id, i.company_id, a.id as assignment_id, a.role_id, r.code as role_code, a.scope_type,
       a.scope_organization_id, a.scope_project_group_id, a.scope_project_id,
       nullif(a.expires_at, 'infinity') as expires_at
from unnest(cast(:#${variable.announcement.userIds} as uuid[])) as u (id)
left join identity.users i on i.id = u.id
left join identity.role_assignments a on a.user_id = u.id and a.status = 'Active'
left join identity.role_definitions r on r.id = a.role_id
order by u.id, a.id
