-- The next users of a role that is being archived. Whoever had a page loses the role in it, so no cursor is needed.
-- Parameters: roleId, rows, skip (users that a run passes over because they fail).
-- Locks: none; the users' locks come next.
-- Returns: always one row; user_ids is null when nobody holds the role any more.
select array_agg(p.user_id order by p.user_id)::text as user_ids, count(*) as size, null::uuid as last_user_id
from (
    select distinct a.user_id
    from identity.role_assignments a
    where a.role_id = :#roleId and a.status = 'Active'
    order by a.user_id
    limit :#rows offset :#skip) p
