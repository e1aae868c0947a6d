-- Parks a row that Kafka can never take (EVT-04): it keeps its place and is repaired by announcing its user anew.
-- Parameters: refused (id, reason).
-- Locks: the row.
-- Returns: nothing.
update identity.outbox o
set parked_at = clock_timestamp(), parked_reason = :#${body.reason}
where o.id = :#${body.id} and o.parked_at is null
