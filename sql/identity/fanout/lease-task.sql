-- Leases the oldest task that nobody works on (FAN-04): Pending, or InProgress with an expired lease.
-- Parameters: maxAttempts, leaseMillis.
-- Locks: the one row that it takes; rows that others hold are passed over. The clock is the database's.
-- Returns: the leased task, or no row when there is nothing to do.
update identity.access_fanout_tasks t
set status           = 'InProgress',
    lease_expires_at = clock_timestamp() + :#leaseMillis * interval '1 millisecond',
    attempt_count    = t.attempt_count + 1,
    started_at       = coalesce(t.started_at, clock_timestamp()),
    updated_at       = clock_timestamp()
where t.id = (
    select n.id
    from identity.access_fanout_tasks n
    where n.status in ('Pending', 'InProgress')
      and n.attempt_count < :#maxAttempts
      and (n.status = 'Pending' or coalesce(n.lease_expires_at, '-infinity') <= clock_timestamp())
    order by n.created_at, n.id
    limit 1
    for update skip locked)
returning t.id, t.role_id, t.company_id, t.role_version, t.status, t.cursor, t.processed_count, t.attempt_count,
          t.lease_expires_at, t.created_at, clock_timestamp() as as_of
