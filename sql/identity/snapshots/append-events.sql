-- Appends the events of one transaction to the outbox, in the order of the arrays.
-- Parameters: body (userIds, payloads: arrays of the same length), announcement (correlationId, versionSource).
-- Locks: none beyond the inserted rows; the users' locks are held.
-- Returns: nothing; the update count is the number of events.
insert into identity.outbox (user_id, correlation_id, version_source, payload)
select e.user_id, :#${variable.announcement.correlationId}, :#${variable.announcement.versionSource}, e.payload
from unnest(cast(:#${body.userIds} as uuid[]), cast(:#${body.payloads} as bytea[])) with ordinality
         as e (user_id, payload, position)
order by e.position
