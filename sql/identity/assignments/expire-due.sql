-- Moves the due assignments of the users of a page to Expired, each with the next version of its user (EVT-05): those that
-- are due now, under the users' locks. One that was prolonged or revoked meanwhile is left alone.
-- Parameters: holders (userIds).
-- Locks: the changed rows; the users' locks are held.
-- Returns: always one row: the users concerned (null when there are none) and their number.
with expired as (
    update identity.role_assignments a
    set status = 'Expired', version = greatest(a.version, identity.access_version(a.user_id)) + 1
    where a.user_id = any (cast(:#${variable.holders.userIds} as uuid[]))
      and a.status = 'Active'
      and a.expires_at <= clock_timestamp()
    returning a.user_id
)
select array_agg(distinct e.user_id)::text as user_ids, count(distinct e.user_id) as size, null::uuid as last_user_id
from expired e
