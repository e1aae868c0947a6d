-- Gives back every lane of a publisher that stops, so that others need not wait for its lease to expire.
-- Parameters: publisher.
-- Locks: the publisher's lanes.
-- Returns: nothing.
with gone as (
    delete from identity.relay_publishers p where p.id = :#publisher
)
update identity.relay_lanes l set holder = null, expires_at = '-infinity' where l.holder = :#publisher
