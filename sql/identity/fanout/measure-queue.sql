-- What the queue's gauges show (FAN-17, FAN-20). Each reads a partial index only.
-- Parameters: none.
-- Locks: none.
-- Returns: one row: tasks waiting for a worker (Pending, or InProgress with an expired lease), Failed tasks, and the age in
-- seconds of the oldest task that is neither Completed nor Failed (0: there is none).
select (select count(*)
        from identity.access_fanout_tasks t
        where t.status in ('Pending', 'InProgress')
          and (t.status = 'Pending' or coalesce(t.lease_expires_at, '-infinity') <= clock_timestamp())) as backlog,
       (select count(*) from identity.access_fanout_tasks t where t.status = 'Failed')                as failed,
       (select coalesce(extract(epoch from clock_timestamp() - min(t.created_at)), 0)
        from identity.access_fanout_tasks t
        where t.status in ('Pending', 'InProgress'))                                                  as oldest_age_seconds
