-- Notes until when everything that was committed in identity is applied here; it never goes back.
-- Parameters: appliedUntil.
-- Locks: the one row.
-- Returns: nothing.
insert into access_cache.freshness as f (applied_until)
values (:#appliedUntil)
on conflict (one) do update
    set applied_until = greatest(f.applied_until, excluded.applied_until), noted_at = clock_timestamp()
