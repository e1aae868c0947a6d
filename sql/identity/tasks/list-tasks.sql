-- The tasks of the queue for an operator, oldest first.
-- Parameters: status, or null for every status.
-- Locks: none.
-- Returns: one row per task, at most 1,000.
select t.id, t.role_id, t.role_version, t.status, t.processed_count, t.attempt_count, t.cursor, t.lease_expires_at,
       t.created_at, t.started_at, t.completed_at
from identity.access_fanout_tasks t
where cast(:status as text) is null or t.status = :status
order by t.created_at, t.id
limit 1000
