-- Queues one fan-out task for a role, with the version that the role has in this transaction (FAN-02).
-- Parameters: change (roleId).
-- Locks: the role's row against deletion.
-- Returns: the id of the task.
select identity.enqueue_access_fanout(:#${variable.change.roleId})
