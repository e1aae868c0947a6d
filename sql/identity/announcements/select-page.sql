-- The oldest announcements, and others of the same users, so that one event can stand for all that one transaction
-- announced of a user. A user's events follow the order of the announcements.
-- Parameters: rows, skip (announcements that a run passes over because they fail).
-- Locks: none; the job's lock keeps others away from these rows.
-- Returns: the announcements in id order, at most 4 times as many as asked for.
select n.id, n.user_id, n.reason, n.transaction_id::text
from identity.access_announcements n
where n.user_id = any (array(
    select o.user_id from identity.access_announcements o order by o.id limit :#rows offset :#skip))
order by n.id
limit :#rows * 4
