-- Revokes every active assignment of a user, with the user's next version (EVT-05).
-- Parameters: userId.
-- Locks: the changed rows; the user's lock is held.
-- Returns: always one row: the user, if any assignment was active (else null), and 1 or 0.
with revoked as (
    update identity.role_assignments a
    set status = 'Revoked', version = greatest(a.version, identity.access_version(a.user_id)) + 1
    where a.user_id = :#userId and a.status = 'Active'
    returning a.user_id
)
select array_agg(distinct r.user_id)::text as user_ids, count(distinct r.user_id) as size, null::uuid as last_user_id
from revoked r
