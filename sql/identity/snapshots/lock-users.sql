-- Locks the users whose snapshots are about to be loaded, until the transaction ends (EVT-06). It must be a statement of
-- its own: in one statement with the load, READ COMMITTED would still show the picture from before the wait.
-- Parameters: announcement (userIds).
-- Locks: one advisory lock per user, in a fixed order.
-- Returns: one row without meaning.
select identity.lock_access(cast(:#${variable.announcement.userIds} as uuid[]))
