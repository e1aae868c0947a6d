-- The author replica (spec news-identity-users.md; REP-02) and the marks of the records that made it (REP-04).

create table news.author_replicas (
    id             uuid         primary key,
    display_name   varchar(384) not null,
    type           text         not null,
    -- A logical reference: the company may come later, or never (INV-REP-004).
    company_id     uuid,
    status         text         not null,
    -- Null until the source has it; nothing here writes it.
    avatar_file_id uuid,
    source_version bigint       not null,
    synced_at      timestamptz  not null,
    updated_at     timestamptz  not null default now(),
    constraint ck_author_replicas_type
        check (type in ('Investor', 'DeveloperManager', 'Agent', 'PinEmployee', 'AgencyManager')),
    constraint ck_author_replicas_status check (status in ('Active', 'Blocked', 'Archived')),
    constraint ck_author_replicas_source_version check (source_version >= 1)
) with (fillfactor = 85);

create table news.processed_messages (
    idempotency_key text        primary key,
    processed_at    timestamptz not null default clock_timestamp()
) with (
    -- Marks come and go: vacuum by count, not by a share of the table.
    autovacuum_vacuum_scale_factor = 0.0,
    autovacuum_vacuum_threshold = 50000
);

create index ix_processed_messages_processed_at on news.processed_messages (processed_at);

-- Marks speak of rows. When the table is emptied, to be built again from the topic, they would make every record a
-- duplicate: so they go with the last row, whoever deletes it (REP-04).
create function news.forget_processed_messages() returns trigger
    language plpgsql
    security definer
    set search_path = pg_catalog
as $$
begin
    if not exists (select from news.author_replicas) then
        delete from news.processed_messages;
    end if;
    return null;
end
$$;

create trigger tr_author_replicas_truncate
    after truncate on news.author_replicas
    for each statement execute function news.forget_processed_messages();

create trigger tr_author_replicas_delete
    after delete on news.author_replicas
    for each statement execute function news.forget_processed_messages();
