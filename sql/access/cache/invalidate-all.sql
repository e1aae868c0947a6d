-- Nothing that is held can be relied on any more: every user's rights must be asked for, until the next event (EVT-07), and
-- nobody knows how fresh the cache is. Versions stay: what is older than them is still older.
-- Parameters: none.
-- Locks: every row that is Fresh.
-- Returns: nothing.
with forgotten as (
    delete from access_cache.freshness)
update access_cache.user_access a
set state       = 'Invalidated',
    assignments = null,
    revision    = a.revision + 1,
    updated_at  = greatest(clock_timestamp(), a.updated_at + interval '1 microsecond')
where a.state = 'Fresh'
