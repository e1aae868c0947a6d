-- What the queue's gauges show (FAN-17). Both counts read a partial index only.
-- Parameters: none.
-- Locks: none.
-- Returns: one row: tasks waiting for a worker (Pending, or InProgress with an expired lease), and Failed tasks.
select (select count(*)
        from identity.access_fanout_tasks t
        where t.status in ('Pending', 'InProgress')
          and (t.status = 'Pending' or coalesce(t.lease_expires_at, '-infinity') <= clock_timestamp())) as backlog,
       (select count(*) from identity.access_fanout_tasks t where t.status = 'Failed')                as failed
