-- Whether the outbox holds more rows than a worker may leave to the relay (back-pressure). Looks at no more rows than that.
-- Parameters: maxOutboxRows.
-- Locks: none.
-- Returns: one row.
select exists (select from identity.outbox o where o.parked_at is null offset :#maxOutboxRows limit 1) as is_full
