-- The oldest archived role whose assignments are still being revoked, and which does not wait for somebody else.
-- Parameters: none.
-- Locks: none; the job's lock keeps others away.
-- Returns: one row, or none when there is nothing to do now.
select a.role_id, a.correlation_id
from identity.role_archivals a
where a.waits_until <= clock_timestamp()
order by a.created_at, a.role_id
limit 1
