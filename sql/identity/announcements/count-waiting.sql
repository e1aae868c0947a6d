-- How much the relay and the publishing of announcements still have in front of them, counted up to a bound: what the
-- announce command waits for, so that a revoke never stands behind everybody.
-- Parameters: most.
-- Locks: none.
-- Returns: one row.
select (select count(*) from (select from identity.access_announcements limit :most) n)
     + (select count(*) from (select from identity.outbox o where o.parked_at is null limit :most) o) as waiting
