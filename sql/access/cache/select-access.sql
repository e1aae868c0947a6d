-- What is held of the users at hand, but for their sets, which events replace and never read.
-- Parameters: batch (userIds).
-- Locks: none; what changes meanwhile, the guard of write-access.sql meets.
-- Returns: one row per user who has one.
select a.user_id, a.company_id, a.versions, a.message_ids, a.role_changed_last, a.revision
from access_cache.user_access a
where a.user_id = any (cast(:#${variable.batch.userIds} as uuid[]))
