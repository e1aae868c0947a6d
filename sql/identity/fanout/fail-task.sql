-- Marks a task as Failed whose last attempt failed in this worker's hands (FAN-06); fenced, so that a completion or
-- another worker's lease wins.
-- Parameters: lease (taskId, attempt, expiresAt).
-- Locks: the task's row.
-- Returns: the task as it is now; no row when the lease was lost before.
update identity.access_fanout_tasks t
set status = 'Failed', lease_expires_at = null, updated_at = clock_timestamp()
where t.id = :#${variable.lease.taskId}
  and t.status = 'InProgress'
  and t.attempt_count = :#${variable.lease.attempt}
  and t.lease_expires_at = :#${variable.lease.expiresAt}
returning t.id, t.role_id, t.company_id, t.role_version, t.status, t.cursor, t.processed_count, t.attempt_count,
          t.lease_expires_at, t.created_at, clock_timestamp() as as_of
