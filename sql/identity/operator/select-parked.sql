-- The oldest rows that Kafka could never take, without their payload and without whom they are about (EVT-11).
-- Parameters: rows.
-- Locks: none.
-- Returns: at most so many rows.
select o.id, o.parked_at, left(o.parked_reason, 300) as reason
from identity.outbox o
where o.parked_at is not null
order by o.id
limit :#rows
