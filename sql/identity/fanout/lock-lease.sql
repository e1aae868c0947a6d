-- Finds out, after a failure, whether the lease is still ours and how far the task really is. A checkpoint or a renewal
-- whose commit was cut off may or may not have happened, so either of the two expiries proves that the lease is ours.
-- Parameters: lease (taskId, attempt, expiresAt), checkpoint (expiresAt, completed; null if there was none).
-- Locks: the task's row.
-- Returns: the task as it is now, Completed when the cut-off checkpoint was the last one; no row when the lease is lost.
select t.id, t.role_id, t.company_id, t.role_version, t.status, t.cursor, t.processed_count, t.attempt_count,
       t.lease_expires_at, t.created_at, clock_timestamp() as as_of
from identity.access_fanout_tasks t
where t.id = :#${variable.lease.taskId}
  and t.attempt_count = :#${variable.lease.attempt}
  and ((t.status = 'InProgress'
        and t.lease_expires_at in (:#${variable.lease.expiresAt},
                                   cast(:#${variable.checkpoint?.expiresAt} as timestamptz)))
       or (t.status = 'Completed' and cast(:#${variable.checkpoint?.completed} as boolean)))
for no key update of t
