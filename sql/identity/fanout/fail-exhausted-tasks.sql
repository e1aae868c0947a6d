-- Marks as Failed what nobody works on and has used up its attempts (FAN-06): the last attempt's lease has expired.
-- Parameters: maxAttempts.
-- Locks: the rows it changes; rows that others hold are passed over.
-- Returns: one row per task that became Failed.
update identity.access_fanout_tasks t
set status = 'Failed', lease_expires_at = null, updated_at = clock_timestamp()
where t.id in (
    select e.id
    from identity.access_fanout_tasks e
    where e.status in ('Pending', 'InProgress')
      and e.attempt_count >= :#maxAttempts
      and (e.status = 'Pending' or coalesce(e.lease_expires_at, '-infinity') <= clock_timestamp())
    order by e.created_at, e.id
    limit 100
    for update skip locked)
returning t.id, t.role_id, t.company_id, t.role_version, t.status, t.cursor, t.processed_count, t.attempt_count,
          t.lease_expires_at, t.created_at, clock_timestamp() as as_of
