-- The next rows of a lane in id order, after a hint: the last id that this publisher has deleted, or 0.
-- A row with a lower id can commit after a higher one was published, so the hint saves time only between two readings
-- from the beginning (design.md, decision 4).
-- Parameters: lane (number), scan (afterId, rows).
-- Locks: none; the lane's row is locked.
-- Returns: at most as many rows as asked for.
select o.id, o.user_id, o.message_id, o.correlation_id, o.version_source, o.traceparent, o.created_at, o.payload
from identity.outbox o
where o.lane = :#${variable.lane.number} and o.parked_at is null and o.id > :#${variable.scan.afterId}
order by o.id
limit :#${variable.scan.rows}
