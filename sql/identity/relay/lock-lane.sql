-- Locks a lane for one batch, if this publisher still holds it with the epoch under which it opened its producer, and
-- renews it: the heartbeat passes over a lane that is being published.
-- Parameters: lane (number, epoch), publisher, laneLeaseMillis.
-- Locks: the lane's row until the batch is deleted: nobody can take the lane meanwhile.
-- Returns: the lane; no row when it is lost.
update identity.relay_lanes l
set expires_at = clock_timestamp() + :#laneLeaseMillis * interval '1 millisecond'
where l.lane = :#${variable.lane.number} and l.holder = :#publisher and l.epoch = :#${variable.lane.epoch}
returning l.lane, l.epoch
