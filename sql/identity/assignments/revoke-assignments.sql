-- Revokes those of the given assignments that are active, each with the next version of its user (EVT-05).
-- Parameters: revocation (assignmentIds).
-- Locks: the changed rows; the users' locks are held.
-- Returns: always one row: the users concerned (null when there are none) and their number.
with revoked as (
    update identity.role_assignments a
    set status = 'Revoked', version = greatest(a.version, identity.access_version(a.user_id)) + 1
    where a.id = any (cast(:#${variable.revocation.assignmentArray} as uuid[])) and a.status = 'Active'
    returning a.user_id
)
select array_agg(distinct r.user_id)::text as user_ids, count(distinct r.user_id) as size, null::uuid as last_user_id
from revoked r
