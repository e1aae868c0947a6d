-- Until when everything is in the outbox, and where the outbox begins and ends: whatever was committed before this time (the
-- commit had returned by then) has its events in the outbox, or in Kafka. What is still on its way there (a task, an
-- announcement, a role half archived) began before it was committed, and holds the time back to its beginning. Events in the
-- outbox do not: they may be younger than what caused them (see processors.identity.Watermarks).
-- The clock is now(), the beginning of the transaction, which is before the statement looks at the tables: what it does not
-- see was committed later. (statement_timestamp() is not: it is read once more after the snapshot was taken.)
-- Parameters: v1Until (the time after which ContractVersion 1 is no longer published; empty for never).
-- Locks: none.
-- Returns: one row: the time, null while more announcements are on their way than are worth looking at, and when
-- ContractVersion 1 is no longer published; the lowest and the highest id in the outbox, parked events included, null when it
-- is empty.
select case
           when a.announcements <= 10000
               and coalesce(now() < cast(nullif(:#v1Until, '') as timestamptz), true) then
               least(now(), t.oldest, f.oldest, r.oldest, a.oldest)
       end                                          as complete_until,
       (select min(o.id) from identity.outbox o)    as lowest,
       (select max(o.id) from identity.outbox o)    as highest
from (select min(t.created_at) as oldest
      from identity.access_fanout_tasks t
      where t.status in ('Pending', 'InProgress')) t
cross join (select min(t.created_at) as oldest from identity.access_fanout_tasks t where t.status = 'Failed') f
cross join (select min(r.created_at) as oldest from identity.role_archivals r) r
cross join (select min(p.created_at) as oldest, count(*) as announcements
            from (select n.created_at from identity.access_announcements n order by n.id limit 10001) p) a
