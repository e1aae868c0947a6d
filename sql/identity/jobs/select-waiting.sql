-- Which jobs have something to do: one cheap question for all of them, so that an idle instance costs almost nothing.
-- Parameters: none.
-- Locks: none.
-- Returns: one row per such job with its label (processors.identity.AccessJob).
select 'announcements' as job where exists (select from identity.access_announcements)
union all
select 'role-archivals' where exists (select from identity.role_archivals a where a.waits_until <= clock_timestamp())
