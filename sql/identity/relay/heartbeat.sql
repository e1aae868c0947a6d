-- One heartbeat of this publisher: renews, gives back and takes lanes (see identity.relay_heartbeat).
-- Parameters: publisher, laneLeaseMillis.
-- Locks: the rows that it changes; lanes that are being published are passed over.
-- Returns: one row per lane that this publisher holds now.
select h.held_lane as lane, h.held_epoch as epoch, h.has_rows
from identity.relay_heartbeat(:#publisher, :#laneLeaseMillis * interval '1 millisecond') h
