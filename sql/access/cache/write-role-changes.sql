-- Notes that roles have other permissions now (EVT-07): once for each version of a role, however many users hear of it; and
-- every time where the version is not known (0).
-- Parameters: rows (roleIds, roleVersions).
-- Locks: the written rows, in the order of their ids.
-- Returns: nothing.
insert into access_cache.role_changes as r (role_id, version, changed_at)
select w.role_id, w.version, clock_timestamp()
from unnest(cast(:#${variable.rows.roleIds} as uuid[]), cast(:#${variable.rows.roleVersions} as bigint[]))
         as w (role_id, version)
where w.version = 0
   or not exists (select from access_cache.role_changes k where k.role_id = w.role_id and k.version >= w.version)
order by w.role_id
on conflict (role_id) do update
    set version    = greatest(r.version, excluded.version),
        changed_at = greatest(excluded.changed_at, r.changed_at + interval '1 microsecond')
