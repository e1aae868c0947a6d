-- Marks the records of a batch as handled (REP-04), in the transaction that writes their rows.
-- Parameters: batch (newMarks: idempotency keys in their order).
-- Locks: the inserted rows, in the order of their keys.
-- Returns: nothing. A mark that a concurrent consumer of the same record has left is left alone: the guard of the row has
-- told the two apart already.
insert into news.processed_messages (idempotency_key)
select m.idempotency_key
from unnest(cast(:#${variable.batch.newMarks} as text[])) as m (idempotency_key)
order by m.idempotency_key
on conflict (idempotency_key) do nothing
