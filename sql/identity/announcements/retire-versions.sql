-- Keeps the versions of deleted assignments beyond the announcements that brought them (EVT-05).
-- Parameters: page (ids).
-- Locks: the users' rows; only whoever holds the users' locks writes them, so nobody waits here.
-- Returns: nothing.
insert into identity.retired_versions as r (user_id, version)
select n.user_id, max(n.retired_version)
from identity.access_announcements n
where n.id = any (cast(:#${variable.page.ids} as bigint[])) and n.retired_version is not null
group by n.user_id
on conflict (user_id) do update set version = greatest(r.version, excluded.version)
