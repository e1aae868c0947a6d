-- The rows that Kafka could never take, oldest first; without their payloads (EVT-11).
-- Parameters: none.
-- Locks: none.
-- Returns: one row per parked event, at most 1,000.
select o.id, o.user_id, o.message_id, o.created_at, o.parked_at, octet_length(o.payload) as bytes, o.parked_reason
from identity.outbox o
where o.parked_at is not null
order by o.id
limit 1000
