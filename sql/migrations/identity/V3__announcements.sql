-- Announcements: the users whose access somebody else has changed (EVT-03; design.md, decision 2). Who writes assignments
-- without our routes leaves one in the same transaction; a route publishes the users' snapshots once it is committed.

-- One row per user. Nothing here ever waits for another transaction or fails at any isolation level: rows are only
-- inserted, by whoever announces, and deleted, by the route that publishes them.
create table identity.access_announcements (
    id              bigint      generated always as identity (cache 1) primary key,
    user_id         uuid        not null,
    reason          text        not null,
    -- One event per user and cause, however many statements of one transaction announced it.
    transaction_id  xid8        not null default pg_current_xact_id(),
    -- The highest version among the assignments that this deletion took away; null when nothing was deleted.
    retired_version bigint,
    created_at      timestamptz not null default clock_timestamp(),
    constraint ck_access_announcements_reason check (reason in (
        'AssignmentGranted', 'AssignmentRevoked', 'AssignmentExpired', 'RolePermissionsChanged'))
) with (
    -- Every row is inserted and soon deleted, as in the outbox.
    autovacuum_vacuum_scale_factor = 0.0,
    autovacuum_vacuum_threshold = 10000,
    autovacuum_vacuum_insert_scale_factor = 0.0,
    autovacuum_vacuum_insert_threshold = 50000
);

create index ix_access_announcements_user on identity.access_announcements (user_id, id);
create index ix_access_announcements_retired on identity.access_announcements (user_id, retired_version)
    where retired_version is not null;

-- Versions that no assignment shows any more because it was deleted: without them a user's version would fall, and
-- consumers would drop what is new as stale (EVT-05). A user who was deleted keeps the row, so that consumers can be
-- told of the empty set again.
create table identity.retired_versions (
    user_id uuid   primary key,
    version bigint not null
);

-- The version of a user's assignments (EVT-05): the maximum over all of them in any status, deleted ones included; 0 for
-- a user who never had any. Only under the user's lock is it sure to be the last one.
create function identity.access_version(of_user uuid) returns bigint
    language sql
    stable
    set search_path = pg_catalog
as $$
    select coalesce(greatest(
        (select max(a.version) from identity.role_assignments a where a.user_id = of_user),
        (select r.version from identity.retired_versions r where r.user_id = of_user),
        (select max(n.retired_version) from identity.access_announcements n
         where n.user_id = of_user and n.retired_version is not null)), 0)
$$;

create function identity.notify_announcements() returns trigger
    language plpgsql
    set search_path = pg_catalog
as $$
begin
    perform pg_notify('access_announcements', '');
    return null;
end
$$;

create trigger tr_access_announcements_notify
    after insert on identity.access_announcements
    for each statement execute function identity.notify_announcements();

-- For a service that writes assignments in its own transaction (contract.md): the snapshots of these users are published
-- after it commits, one event per user and reason. Runs with the rights of its owner; the caller needs none. It tells
-- nobody anything and changes no right, so everybody may call it.
create function identity.announce_access(user_ids uuid[], reason text) returns void
    language plpgsql
    security definer
    set search_path = pg_catalog
as $$
begin
    if user_ids is null or array_position(user_ids, null) is not null then
        raise exception 'announce_access: user_ids must be an array of user ids without null'
            using errcode = 'null_value_not_allowed';
    end if;
    if reason is null or reason not in (
        'AssignmentGranted', 'AssignmentRevoked', 'AssignmentExpired', 'RolePermissionsChanged')
    then
        raise exception 'announce_access: reason ''%'' is unknown; AssignmentGranted, AssignmentRevoked, '
            'AssignmentExpired and RolePermissionsChanged are known', coalesce(reason, 'null')
            using errcode = 'invalid_parameter_value';
    end if;
    insert into identity.access_announcements (user_id, reason)
    select distinct u.id, announce_access.reason from unnest(user_ids) as u (id);
end
$$;

-- Deleting announces by itself (EVT-03): nobody can forget it.
create function identity.announce_deleted_assignments() returns trigger
    language plpgsql
    security definer
    set search_path = pg_catalog
as $$
begin
    insert into identity.access_announcements (user_id, reason, retired_version)
    select g.user_id, 'AssignmentRevoked', max(g.version) from gone g group by g.user_id;
    return null;
end
$$;

-- A trigger fires without this right; with it, anybody could hang the function on a table of their own and announce what
-- they like.
revoke all on function identity.announce_deleted_assignments() from public;

create trigger tr_role_assignments_announce_deleted
    after delete on identity.role_assignments
    referencing old table as gone
    for each statement execute function identity.announce_deleted_assignments();

-- A deleted user has no assignment left, and may never have had one.
create function identity.announce_deleted_users() returns trigger
    language plpgsql
    security definer
    set search_path = pg_catalog
as $$
begin
    insert into identity.access_announcements (user_id, reason, retired_version)
    select g.id, 'AssignmentRevoked', 0 from gone g;
    return null;
end
$$;

revoke all on function identity.announce_deleted_users() from public;

create trigger tr_users_announce_deleted
    after delete on identity.users
    referencing old table as gone
    for each statement execute function identity.announce_deleted_users();
