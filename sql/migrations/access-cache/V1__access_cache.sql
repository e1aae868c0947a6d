-- What a consumer of access events knows about its users (spec user-access-changed.md, "Порядок и согласованность";
-- EVT-07, EVT-08), and how readers see it.

create table access_cache.user_access (
    user_id           uuid        primary key,
    -- Null for an investor.
    company_id        uuid,
    -- Invalidated: what the user may do is not known here, and identity must be asked.
    state             text        not null,
    -- ActiveAssignments of the event that was applied last; null while Invalidated, so that nobody takes it for a set.
    assignments       jsonb,
    -- The last applied version of each source: "assignment", or "role:" and the role's id.
    versions          jsonb       not null default '{}',
    -- The events that were applied at that version, so that one that comes again is recognised.
    message_ids       jsonb       not null default '{}',
    -- A change of a role came last of which nobody said which role it was.
    role_changed_last boolean     not null default false,
    -- Counts the writes: a consumer that was overtaken changes nothing.
    revision          bigint      not null default 0,
    -- Advances with every event that is applied or invalidates: what was resolved for the user before is void.
    updated_at        timestamptz not null default clock_timestamp(),
    constraint ck_user_access_state check (state in ('Fresh', 'Invalidated')),
    constraint ck_user_access_assignments check ((state = 'Fresh') = (assignments is not null))
) with (
    -- Rows are written again and again, and no index but the key looks at what changes.
    fillfactor = 70,
    autovacuum_vacuum_scale_factor = 0.05,
    autovacuum_vacuum_threshold = 5000
);

-- Since when nothing that is older can be relied on, whoever it is about: events were missed, or somebody does not trust the
-- cache. No row: never. One row voids millions at once.
create table access_cache.voided (
    one boolean     primary key default true check (one),
    at  timestamptz not null
);

-- What readers read: users whose rights are known, without assignments that have run out. Whoever is not here: ask identity.
create view access_cache.current_access as
select a.user_id,
       a.company_id,
       (select coalesce(jsonb_agg(e.assignment order by e.position), '[]'::jsonb)
        from jsonb_array_elements(a.assignments) with ordinality as e (assignment, position)
        where coalesce((e.assignment ->> 'ExpiresAt')::timestamptz, 'infinity') > clock_timestamp()) as assignments,
       a.updated_at
from access_cache.user_access a
where a.state = 'Fresh'
  and a.updated_at > coalesce((select v.at from access_cache.voided v), '-infinity');

-- Since when a role's permissions are other ones, as far as events have told: whatever was resolved for the role before is
-- void (EVT-07).
create table access_cache.role_changes (
    role_id    uuid        primary key,
    -- The greatest RoleDefinition.Version of which an event has told; 0 where none has.
    version    bigint      not null,
    changed_at timestamptz not null
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000);

-- Since when what a reader was told of a user, or of a role, is void: it is good only while the asking began later. Minus
-- infinity where nothing was heard since.
create function access_cache.user_void_at(of_user uuid) returns timestamptz
    language sql stable
    set search_path = pg_catalog
as $$
    select greatest((select a.updated_at from access_cache.user_access a where a.user_id = of_user),
                    (select v.at from access_cache.voided v),
                    '-infinity')
$$;

create function access_cache.role_void_at(of_role uuid) returns timestamptz
    language sql stable
    set search_path = pg_catalog
as $$
    select greatest((select r.changed_at from access_cache.role_changes r where r.role_id = of_role),
                    (select v.at from access_cache.voided v),
                    '-infinity')
$$;

-- How fresh the cache is, where the relay publishes watermarks: whatever was committed in identity before applied_until
-- (identity's time) is applied here. No row: not known.
create table access_cache.freshness (
    one           boolean     primary key default true check (one),
    applied_until timestamptz not null,
    noted_at      timestamptz not null default clock_timestamp()
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 500);
