-- Announces the next users of a role: all who hold it or have ever held it, for a revoke can be what a consumer missed.
-- Parameters: roleId, after (the last user announced; null at the beginning), most.
-- Locks: none beyond the inserted rows.
-- Returns: one row: how many users, and the last of them (null when there are no more).
with page as (
    select distinct a.user_id
    from identity.role_assignments a
    where a.role_id = :roleId and (cast(:after as uuid) is null or a.user_id > cast(:after as uuid))
    order by a.user_id
    limit :most
), ids as (
    select array_agg(p.user_id order by p.user_id) as user_ids from page p
)
select cardinality(coalesce(i.user_ids, '{}')) as users, i.user_ids[cardinality(i.user_ids)] as last_user_id,
       identity.announce_access(coalesce(i.user_ids, '{}'), 'RolePermissionsChanged')
from ids i
