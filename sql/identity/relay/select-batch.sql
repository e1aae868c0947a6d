-- The next rows of a lane in id order, after a hint: the last id that this publisher has deleted, or 0. So many of them as are
-- asked for, and as fit into so many bytes; a row that does not fit at all comes alone.
-- A row with a lower id can commit after a higher one was published, so the hint saves time only between two readings
-- from the beginning (design.md, decision 4). And it must not let a user's later row pass an earlier one: whoever waited
-- for the user's lock commits right behind whoever held it, and both can appear at once, one on either side of the hint.
-- Such a later row is left for the next reading from the beginning.
-- Parameters: lane (number), scan (afterId, rows, bytes).
-- Locks: none; the lane's row is locked.
-- Returns: at most as many rows as asked for.
select b.id, b.user_id, b.message_id, b.correlation_id, b.version_source, b.traceparent, b.created_at, b.payload,
       b.payload_v2
from (
    select o.*,
           coalesce(sum(coalesce(octet_length(o.payload), 0) + coalesce(octet_length(o.payload_v2), 0))
                        over (order by o.id rows between unbounded preceding and 1 preceding), 0) as bytes_before
    from (select cast(:#${variable.scan.afterId} as bigint) as after_id) h
    join identity.outbox o
        on o.lane = :#${variable.lane.number} and o.parked_at is null and o.id > h.after_id
    where h.after_id = 0
       or not exists (
           select from identity.outbox e
           where e.user_id = o.user_id and e.id <= h.after_id and e.parked_at is null)
    order by o.id
    limit :#${variable.scan.rows}) b
where b.bytes_before < :#${variable.scan.bytes}
order by b.id
