-- Nothing that is held can be relied on any more: every user's rights must be asked for, until the next event (EVT-07), what
-- readers keep is void, and nobody knows how fresh the cache is. Versions stay: what is older than them is still older.
-- Parameters: none.
-- Locks: the one row.
-- Returns: one row; no row when nothing was held, as when a group is new.
with forgotten as (
    delete from access_cache.freshness)
insert into access_cache.voided as v (at)
select clock_timestamp()
where exists (select from access_cache.user_access)
on conflict (one) do update set at = greatest(excluded.at, v.at + interval '1 microsecond')
returning v.at
