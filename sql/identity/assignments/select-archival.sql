-- The oldest archived role whose assignments are still being revoked.
-- Parameters: none.
-- Locks: none; the job's lock keeps others away.
-- Returns: one row, or none when no archival is under way.
select a.role_id, a.correlation_id from identity.role_archivals a order by a.created_at, a.role_id limit 1
