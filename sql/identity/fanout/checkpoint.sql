-- The checkpoint of a page (FAN-10), fenced by the lease as it was taken (design.md, decision 3): moves the cursor and
-- renews the lease, or completes the task on its last page, which is the one that is not full.
-- Parameters: lease (taskId, attempt, expiresAt), page (size, lastUserId), batchSize, leaseMillis.
-- Locks: the task's row until the page commits.
-- Returns: the task as it is now; no row when the lease is lost, and then the page must be rolled back.
update identity.access_fanout_tasks t
set cursor           = coalesce(cast(:#${variable.page.lastUserId} as uuid), t.cursor),
    processed_count  = t.processed_count + :#${variable.page.size},
    status           = case when l.last_page then 'Completed' else t.status end,
    completed_at     = case when l.last_page then clock_timestamp() end,
    lease_expires_at = case when l.last_page then null
                            else clock_timestamp() + :#leaseMillis * interval '1 millisecond' end,
    updated_at       = clock_timestamp()
from (select :#${variable.page.size} < :#batchSize as last_page) l
where t.id = :#${variable.lease.taskId}
  and t.status = 'InProgress'
  and t.attempt_count = :#${variable.lease.attempt}
  and t.lease_expires_at = :#${variable.lease.expiresAt}
returning t.id, t.role_id, t.company_id, t.role_version, t.status, t.cursor, t.processed_count, t.attempt_count,
          t.lease_expires_at, t.created_at, clock_timestamp() as as_of
