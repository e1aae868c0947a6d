-- Renews a lease that lock-lease.sql has just locked, in the same transaction.
-- Parameters: lease (taskId, attempt, expiresAt), leaseMillis.
-- Locks: the task's row.
-- Returns: the task as it is now.
update identity.access_fanout_tasks t
set lease_expires_at = clock_timestamp() + :#leaseMillis * interval '1 millisecond',
    updated_at       = clock_timestamp()
where t.id = :#${variable.lease.taskId}
  and t.status = 'InProgress'
  and t.attempt_count = :#${variable.lease.attempt}
  and t.lease_expires_at = :#${variable.lease.expiresAt}
returning t.id, t.role_id, t.company_id, t.role_version, t.status, t.cursor, t.processed_count, t.attempt_count,
          t.lease_expires_at, t.created_at, clock_timestamp() as as_of
