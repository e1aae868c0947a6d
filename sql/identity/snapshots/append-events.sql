-- Appends the events of one transaction to the outbox, in the order of the arrays.
-- Parameters: body (userIds, payloads, payloadsV2: arrays of the same length, the last one null unless ContractVersion 2 is
-- published), announcement (correlationId, versionSource), v1Until (the time after which ContractVersion 1 is no longer
-- published; empty for never), traceparent (of the span that causes them; null where nothing is traced).
-- Locks: none beyond the inserted rows; the users' locks are held.
-- Returns: nothing; the update count is the number of events.
insert into identity.outbox (user_id, correlation_id, version_source, traceparent, payload, payload_v2)
select e.user_id, :#${variable.announcement.correlationId}, :#${variable.announcement.versionSource},
       cast(:#${variable.traceparent} as text), case when v.goes_on then e.payload end, e.payload_v2
from unnest(cast(:#${body.userIds} as uuid[]), cast(:#${body.payloads} as bytea[]),
            cast(:#${body.payloadsV2} as bytea[])) with ordinality as e (user_id, payload, payload_v2, position)
cross join (select coalesce(clock_timestamp() < cast(nullif(:#v1Until, '') as timestamptz), true) as goes_on) v
order by e.position
