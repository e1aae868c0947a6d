-- Until when everything is out: whatever was committed before this time (the commit had returned by then) has its events in
-- Kafka. What is still on its way (a task, an announcement, a role half archived, an event in the outbox, a parked one too)
-- began before it was committed, and holds the time back to its beginning.
-- The clock is now(), the beginning of the transaction, which is before the statement looks at the tables: what it does not
-- see was committed later. (statement_timestamp() is not: it is read once more after the snapshot was taken.)
-- Parameters: none.
-- Locks: none.
-- Returns: one row; null while more events or announcements are on their way than are worth looking at.
select case
           when o.events <= 10000 and a.announcements <= 10000 then
               least(now(), t.oldest, f.oldest, r.oldest, a.oldest, o.oldest)
       end as complete_until
from (select min(t.created_at) as oldest
      from identity.access_fanout_tasks t
      where t.status in ('Pending', 'InProgress')) t
cross join (select min(t.created_at) as oldest from identity.access_fanout_tasks t where t.status = 'Failed') f
cross join (select min(r.created_at) as oldest from identity.role_archivals r) r
cross join (select min(p.created_at) as oldest, count(*) as announcements
            from (select n.created_at from identity.access_announcements n order by n.id limit 10001) p) a
cross join (select min(p.created_at) as oldest, count(*) as events
            from (select e.created_at from identity.outbox e order by e.id limit 10001) p) o
