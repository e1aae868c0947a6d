-- Revokes a role's active assignments of the users of a page, each with the next version of its user (EVT-05).
-- Parameters: roleId, holders (userIds).
-- Locks: the changed rows; those that somebody else holds are left for a later page. The users' locks are held.
-- Returns: always one row: the users concerned (null when there are none) and their number.
with chosen as materialized (
    select a.id, a.user_id
    from identity.role_assignments a
    where a.role_id = :#roleId
      and a.user_id = any (cast(:#${variable.holders.userIds} as uuid[]))
      and a.status = 'Active'
    for no key update skip locked
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
