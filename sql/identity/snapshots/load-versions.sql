-- The version of each user's assignments (EVT-05; identity.access_version); 1 for a user who never had any.
-- Parameters: announcement (userIds).
-- Locks: none; lock-users.sql comes first.
-- Returns: one row per user, ordered by user.
select u.id as user_id, greatest(identity.access_version(u.id), 1) as version
from unnest(cast(:#${variable.announcement.userIds} as uuid[])) as u (id)
order by u.id
