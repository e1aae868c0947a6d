-- Which of this publisher's lanes have rows to publish: what a wake-up asks.
-- Parameters: publisher.
-- Locks: none.
-- Returns: one row per such lane.
select l.lane, l.epoch, true as has_rows
from identity.relay_lanes l
where l.holder = :#publisher
  and exists (select from identity.outbox o where o.lane = l.lane and o.parked_at is null)
order by l.lane
