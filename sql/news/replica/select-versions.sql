-- How new the rows of the users at hand are (REP-07).
-- Parameters: batch (userIds).
-- Locks: none; what changes meanwhile, the guard of write-replicas.sql meets.
-- Returns: one row per user who has one.
select a.id, a.source_version
from news.author_replicas a
where a.id = any (cast(:#${variable.batch.userIds} as uuid[]))
