-- Discards a parked row, once its user was told anew (EVT-04). A row that is not parked is never discarded.
-- Parameters: id.
-- Locks: the row.
-- Returns: nothing; the update count is 0 when there is no such parked row.
delete from identity.outbox o where o.id = :id and o.parked_at is not null
