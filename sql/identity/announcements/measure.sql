-- What the gauges show: announcements not yet published (counted up to a bound, so that it stays cheap), and the age of
-- the oldest.
-- Parameters: none.
-- Locks: none.
-- Returns: one row.
select (select count(*) from (select from identity.access_announcements limit 100000) n) as backlog,
       (select coalesce(extract(epoch from clock_timestamp() - min(f.created_at)), 0)
        from (select n.created_at from identity.access_announcements n order by n.id limit 1) f) as oldest_age_seconds
