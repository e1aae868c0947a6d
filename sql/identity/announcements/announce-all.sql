-- Announces the next users of all, those who were deleted included: consumers may still hold something of them.
-- Parameters: after (the last user announced; null at the beginning), most.
-- Locks: none beyond the inserted rows.
-- Returns: one row: how many users, and the last of them (null when there are no more).
with page as (
    (select u.id as user_id
     from identity.users u
     where cast(:after as uuid) is null or u.id > cast(:after as uuid)
     order by u.id limit :most)
    union
    (select r.user_id
     from identity.retired_versions r
     where cast(:after as uuid) is null or r.user_id > cast(:after as uuid)
     order by r.user_id limit :most)
    order by user_id
    limit :most
), ids as (
    select array_agg(p.user_id order by p.user_id) as user_ids from page p
)
select cardinality(coalesce(i.user_ids, '{}')) as users, i.user_ids[cardinality(i.user_ids)] as last_user_id,
       identity.announce_access(coalesce(i.user_ids, '{}'), 'RolePermissionsChanged')
from ids i
