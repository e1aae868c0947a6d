-- The tasks that an operator wants to see: those that are worked on, the oldest that wait for a worker, the oldest that have
-- failed, and those completed last. Tasks are leased oldest first, so that those worked on are among the oldest of the queue.
-- Parameters: rows (of each kind).
-- Locks: none.
-- Returns: one row per task, in that order; the code of the role is null when nobody has it.
with queue as materialized (
    select t.*, t.status = 'InProgress' and coalesce(t.lease_expires_at > clock_timestamp(), false) as leased
    from identity.access_fanout_tasks t
    where t.status in ('Pending', 'InProgress')
    order by t.created_at, t.id
    limit 1000)
select s.state, t.id, t.role_id, r.code, t.attempt_count, t.processed_count, t.created_at, t.started_at,
       case when s.state = 'COMPLETED' then t.completed_at else t.updated_at end as changed_at
from ((select 'RUNNING' as state, 1 as place, q.id from queue q where q.leased order by q.created_at, q.id limit :#rows)
      union all
      (select 'WAITING', 2, q.id from queue q where not q.leased order by q.created_at, q.id limit :#rows)
      union all
      (select 'FAILED', 3, f.id from identity.access_fanout_tasks f
       where f.status = 'Failed' order by f.created_at, f.id limit :#rows)
      union all
      (select 'COMPLETED', 4, c.id from identity.access_fanout_tasks c
       where c.status = 'Completed' order by c.completed_at desc limit :#rows)) s
join identity.access_fanout_tasks t on t.id = s.id
left join identity.role_definitions r on r.id = t.role_id
order by s.place,
         case when s.state = 'COMPLETED' then t.completed_at end desc,
         t.created_at, t.id
