-- Puts a Failed task back into the queue (FAN-22), from its cursor or from the start.
-- Parameters: id, fromStart.
-- Locks: the task's row.
-- Returns: the task; no row when there is no such task or it is not Failed. A worker takes it at once.
update identity.access_fanout_tasks t
set status           = 'Pending',
    attempt_count    = 0,
    lease_expires_at = null,
    cursor           = case when :fromStart then null else t.cursor end,
    processed_count  = case when :fromStart then 0 else t.processed_count end,
    updated_at       = clock_timestamp()
where t.id = :id and t.status = 'Failed'
returning t.id, pg_notify('access_fanout_tasks', '')
