-- Renews the lease after a failure, in a transaction of its own, and tells how far the task really is. A checkpoint whose
-- commit was cut off may or may not have happened, so either of its two expiries proves that the lease is still ours.
-- Parameters: lease (taskId, attempt, expiresAt), checkpoint (expiresAt, null if there was none), leaseMillis.
-- Locks: the task's row.
-- Returns: the task as it is now, Completed when the cut-off checkpoint was the last one; no row when the lease is lost.
update identity.access_fanout_tasks t
set lease_expires_at = case when t.status = 'InProgress'
                            then clock_timestamp() + :#leaseMillis * interval '1 millisecond' end,
    updated_at       = clock_timestamp()
where t.id = :#${variable.lease.taskId}
  and t.attempt_count = :#${variable.lease.attempt}
  and ((t.status = 'InProgress'
        and t.lease_expires_at in (:#${variable.lease.expiresAt},
                                   cast(:#${variable.checkpoint?.expiresAt} as timestamptz)))
       or (t.status = 'Completed' and cast(:#${variable.checkpoint?.completed} as boolean)))
returning t.id, t.role_id, t.company_id, t.role_version, t.status, t.cursor, t.processed_count, t.attempt_count,
          t.lease_expires_at, t.created_at, clock_timestamp() as as_of
