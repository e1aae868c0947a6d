-- Locks the users whose assignments are about to change, until the transaction ends (design.md, decision 2). All of them at
-- once, in a fixed order, and before anything of theirs is read or written.
-- Parameters: holders (userIds).
-- Locks: one advisory lock per user.
-- Returns: one row without meaning.
select identity.lock_access(cast(:#${variable.holders.userIds} as uuid[]))
