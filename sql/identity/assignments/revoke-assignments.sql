-- Revokes those of the given assignments that are active, each with the next version of its user (EVT-05).
-- Parameters: revocation (assignmentIds).
-- Locks: the changed rows, for which it waits; the users' locks are held.
-- Returns: always one row: the users concerned (null when there are none) and their number.
with chosen as materialized (
    select a.id, a.user_id
    from identity.role_assignments a
    where a.id = any (cast(:#${variable.revocation.assignmentArray} as uuid[])) and a.status = 'Active'
), versions as materialized (
    select u.user_id, identity.access_version(u.user_id) as version
    from (select distinct c.user_id from chosen c) u
), changed as (
    update identity.role_assignments a
    set status = 'Revoked', version = greatest(a.version, v.version) + 1
    from chosen c
    join versions v on v.user_id = c.user_id
    where a.id = c.id and a.status = 'Active'
    returning a.user_id
)
select array_agg(distinct c.user_id)::text as user_ids, count(distinct c.user_id) as size, null::uuid as last_user_id
from changed c
