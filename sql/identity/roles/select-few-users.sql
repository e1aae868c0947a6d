-- The users with an active assignment of a role, if they are few: at most one more than the threshold is looked at, so
-- the answer costs the same for a role of any size.
-- Parameters: change (roleId), inlineThreshold.
-- Locks: none.
-- Returns: always one row; size is at most the threshold + 1; user_ids is null when there are none.
select array_agg(u.user_id order by u.user_id)::text as user_ids,
       count(*)                                      as size,
       (array_agg(u.user_id order by u.user_id desc))[1] as last_user_id
from (
    select distinct a.user_id
    from identity.role_assignments a
    where a.role_id = :#${variable.change.roleId} and a.status = 'Active'
    order by a.user_id
    limit :#inlineThreshold + 1) u
