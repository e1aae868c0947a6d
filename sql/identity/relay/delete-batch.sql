-- Deletes the rows that Kafka has committed. By their ids and not by a range: a row in between may have committed since.
-- Parameters: batch (ids).
-- Locks: the deleted rows.
-- Returns: nothing.
delete from identity.outbox o where o.id = any (cast(:#${variable.batch.ids} as bigint[]))
