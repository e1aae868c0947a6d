-- One step of the retention of marks (OPS-07): deletes the oldest of those past their age.
-- Parameters: marksRetention (milliseconds).
-- Locks: the deleted rows; a purge of another instance waits for them, and finds them gone.
-- Returns: one row, the number of deleted marks; 0 when none is old enough.
with purged as (
    delete from news.processed_messages m
    where m.idempotency_key in (
        select o.idempotency_key
        from news.processed_messages o
        where o.processed_at < (select clock_timestamp() - :#marksRetention * interval '1 millisecond')
        order by o.processed_at
        limit 1000)
    returning 1)
select count(*) from purged
