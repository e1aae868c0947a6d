-- Deletes the announcements whose events are in the outbox now.
-- Parameters: page (ids).
-- Locks: the deleted rows.
-- Returns: nothing.
delete from identity.access_announcements n where n.id = any (cast(:#${variable.page.ids} as bigint[]))
