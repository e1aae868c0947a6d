-- The relay's lanes: who publishes each, when they were last heard of, and what waits on it, counted up to a bound.
-- Parameters: publisher (this instance), laneLeaseMillis, most.
-- Locks: none.
-- Returns: one row per lane; the holder and when it was heard of are null where nobody holds the lane. A count above the bound
-- is one more than it.
select l.lane,
       l.holder,
       coalesce(l.holder = cast(:#publisher as uuid), false) as ours,
       coalesce(l.holder is not null and l.expires_at > clock_timestamp(), false) as held,
       case when l.holder is not null then
           greatest(l.expires_at, p.expires_at) - :#laneLeaseMillis * interval '1 millisecond'
       end as heard_at,
       (select count(*) from (
            select from identity.outbox o where o.lane = l.lane and o.parked_at is null limit :#most + 1) w) as events,
       (select o.created_at from identity.outbox o
        where o.lane = l.lane and o.parked_at is null order by o.id limit 1) as waiting_since
from identity.relay_lanes l
left join identity.relay_publishers p on p.id = l.holder
order by l.lane
