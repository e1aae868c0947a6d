-- Roles that are archived, and whose assignments are still being revoked (INV-R5; EVT-03): the rest of a cascade that is
-- too large for one transaction. It is written with the archiving itself, so that a crash cannot leave a right behind.
create table identity.role_archivals (
    role_id        uuid        primary key references identity.role_definitions (id) on delete restrict,
    correlation_id uuid        not null,
    created_at     timestamptz not null default clock_timestamp(),
    -- Until when it is left alone: somebody else holds what is left of it.
    waits_until    timestamptz not null default '-infinity'
);

create function identity.notify_role_archivals() returns trigger
    language plpgsql
    set search_path = pg_catalog
as $$
begin
    perform pg_notify('access_role_archivals', '');
    return null;
end
$$;

create trigger tr_role_archivals_notify
    after insert on identity.role_archivals
    for each statement execute function identity.notify_role_archivals();
