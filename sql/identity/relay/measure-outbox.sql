-- What the outbox's gauges show: rows not yet delivered (counted up to a bound, so that it stays cheap with millions of
-- rows), the age of the oldest, and parked rows, which are no backlog (EVT-04).
-- Parameters: none.
-- Locks: none.
-- Returns: one row.
select (select count(*) from (select from identity.outbox o where o.parked_at is null limit 100000) b) as backlog,
       (select coalesce(extract(epoch from max(clock_timestamp() - f.created_at)), 0)
        from identity.relay_lanes l
        cross join lateral (
            select o.created_at from identity.outbox o
            where o.lane = l.lane and o.parked_at is null order by o.id limit 1) f)                   as oldest_age_seconds,
       (select count(*) from identity.outbox o where o.parked_at is not null)                          as parked
