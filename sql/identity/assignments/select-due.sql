-- The users with assignments whose end has come, the oldest first. The clock is the database's; it is read in a query of
-- its own, without which no index could be asked for what is due.
-- Parameters: rows, skip (assignments that a run passes over because they fail).
-- Locks: none; the users' locks come next.
-- Returns: always one row: the users, and the number of assignments; user_ids is null when nothing is due.
select array_agg(distinct p.user_id)::text as user_ids, count(*) as size, null::uuid as last_user_id
from (
    select a.user_id
    from identity.role_assignments a
    where a.status = 'Active' and a.expires_at <= (select clock_timestamp())
    order by a.expires_at
    limit :#rows offset :#skip) p
