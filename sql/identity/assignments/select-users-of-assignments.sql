-- Whose assignments these are.
-- Parameters: revocation (assignmentIds).
-- Locks: none; the users' locks come next.
-- Returns: one row: the distinct users (null when there are none), and the assignments that do not exist (null: none).
select array_agg(distinct a.user_id) filter (where a.id is not null)::text as user_ids,
       array_agg(i.id order by i.id) filter (where a.id is null)           as unknown
from unnest(cast(:#${variable.revocation.assignmentArray} as uuid[])) as i (id)
left join identity.role_assignments a on a.id = i.id
