-- The next page of a role's users: distinct, in the order of their ids, after the cursor (FAN-07).
-- Parameters: lease (roleId, cursor), batchSize.
-- Locks: none.
-- Returns: always one row; user_ids is null on an empty page.
select array_agg(p.user_id order by p.user_id)::text as user_ids,
       count(*)                                      as size,
       (array_agg(p.user_id order by p.user_id desc))[1] as last_user_id
from (
    select distinct a.user_id
    from identity.role_assignments a
    where a.role_id = :#${variable.lease.roleId}
      and a.status = 'Active'
      and a.user_id > coalesce(cast(:#${variable.lease.cursor} as uuid), '00000000-0000-0000-0000-000000000000')
    order by a.user_id
    limit :#batchSize) p
