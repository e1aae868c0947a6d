-- Locks a lane for one batch, if this publisher still holds it with the epoch under which it opened its producer.
-- Parameters: lane (number, epoch), publisher.
-- Locks: the lane's row until the batch is deleted: nobody can take the lane meanwhile.
-- Returns: the lane; no row when it is lost.
select l.lane, l.epoch
from identity.relay_lanes l
where l.lane = :#${variable.lane.number} and l.holder = :#publisher and l.epoch = :#${variable.lane.epoch}
for update
