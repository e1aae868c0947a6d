-- How many users the tasks that are worked on will have told in the end: those told already, and those after the cursor, whom
-- it counts by the index of a page and no further than a bound. It stays true while a task goes on, so that it need not be
-- asked often.
-- Parameters: mostUsers.
-- Locks: none.
-- Returns: one row per task, of at most five; more: there are more than that.
select t.id, t.processed_count + u.users as users, u.assignments >= :#mostUsers as more
from (select q.id, q.role_id, q.cursor, q.processed_count
      from (select n.*
            from identity.access_fanout_tasks n
            where n.status in ('Pending', 'InProgress')
            order by n.created_at, n.id
            limit 1000) q
      where q.status = 'InProgress' and q.lease_expires_at > clock_timestamp()
      order by q.created_at, q.id
      limit 5) t
cross join lateral (
    select count(distinct a.user_id) as users, count(*) as assignments
    from (select s.user_id
          from identity.role_assignments s
          where s.role_id = t.role_id
            and s.status = 'Active'
            and s.user_id > coalesce(t.cursor, '00000000-0000-0000-0000-000000000000')
          order by s.user_id
          limit :#mostUsers) a) u
