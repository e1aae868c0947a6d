-- What there is to do, for the operator's page; counted up to a bound, so that it stays cheap however much it is.
-- Parameters: most.
-- Locks: none.
-- Returns: one row: the time of the look; tasks that wait for a worker, are worked on, and have failed; announced users whose
-- event is not in the outbox yet, and since when the oldest waits; roles whose archiving is not finished; parked events.
-- A count above the bound is one more than it. Tasks are leased oldest first, so that those worked on are among the oldest.
select clock_timestamp() as at,
       (select count(*)
        from (select
              from identity.access_fanout_tasks t
              where t.status in ('Pending', 'InProgress')
                and (t.status = 'Pending' or coalesce(t.lease_expires_at, '-infinity') <= clock_timestamp())
              limit :#most + 1) w) as waiting,
       (select count(*)
        from (select t.status, t.lease_expires_at
              from identity.access_fanout_tasks t
              where t.status in ('Pending', 'InProgress')
              order by t.created_at, t.id
              limit 1000) q
        where q.status = 'InProgress' and q.lease_expires_at > clock_timestamp()) as running,
       (select count(*) from (select from identity.access_fanout_tasks t where t.status = 'Failed' limit :#most + 1) f)
           as failed,
       (select count(*) from (select from identity.access_announcements limit :#most + 1) n) as announcements,
       (select n.created_at from identity.access_announcements n order by n.id limit 1) as announced_since,
       (select count(*) from (select from identity.role_archivals limit :#most + 1) r) as archivals,
       (select count(*) from (select from identity.outbox o where o.parked_at is not null limit :#most + 1) p) as parked
