-- Which of the records at hand were handled before (REP-04).
-- Parameters: batch (keys: idempotency keys).
-- Locks: none.
-- Returns: one row per mark that is there.
select m.idempotency_key
from news.processed_messages m
where m.idempotency_key = any (cast(:#${variable.batch.keys} as text[]))
