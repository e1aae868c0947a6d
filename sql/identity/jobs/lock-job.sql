-- Lets one instance at a time work through a job's pages, until the transaction ends. The others find nothing to do; they
-- would only wait for the same users.
-- Parameters: job (its number; 7 keeps these locks apart from any other two-part advisory lock).
-- Locks: one advisory lock, if nobody holds it.
-- Returns: one row: whether this transaction holds it now.
select pg_try_advisory_xact_lock(7, :#${variable.job.number})
