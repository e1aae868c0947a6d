-- Hands the lease back when the worker stops between pages (FAN-14), so that another takes the task at once and the
-- stop uses up no attempt. Either of two expiries proves that it is ours, as in lock-lease.sql.
-- Parameters: lease (taskId, attempt, expiresAt), checkpoint (expiresAt, null if there was none).
-- Locks: the task's row.
-- Returns: the task as it is now; no row when the lease was lost before.
update identity.access_fanout_tasks t
set lease_expires_at = clock_timestamp(),
    attempt_count    = t.attempt_count - 1,
    updated_at       = clock_timestamp()
where t.id = :#${variable.lease.taskId}
  and t.status = 'InProgress'
  and t.attempt_count = :#${variable.lease.attempt}
  and t.lease_expires_at in (:#${variable.lease.expiresAt},
                             cast(:#${variable.checkpoint?.expiresAt} as timestamptz))
returning t.id, t.role_id, t.company_id, t.role_version, t.status, t.cursor, t.processed_count, t.attempt_count,
          t.lease_expires_at, t.created_at, clock_timestamp() as as_of,
          pg_notify('access_fanout_tasks', '')
