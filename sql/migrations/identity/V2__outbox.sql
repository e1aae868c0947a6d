-- The outgoing events (EVT-04) and who may publish them (design.md, decisions 2 and 4).

-- The lock under which everything that appends a user's event serialises (EVT-06). A user is locked before the
-- snapshot is loaded and until the commit, so that per user lock order = outbox id order = commit order.
-- Locks are taken in the order of their keys: two transactions that share users cannot deadlock here.
-- An advisory lock needs no right on identity's tables, writes nothing and waits for nobody's open transaction.
create function identity.lock_access(user_ids uuid[]) returns void
    language plpgsql
    set search_path = pg_catalog
as $$
begin
    -- The inner query sorts before the outer one locks, row by row.
    perform count(l.granted)
    from (select pg_advisory_xact_lock(k.lock_key) as granted
          from (select distinct uuid_hash_extended(u.id, 0) as lock_key
                from unnest(user_ids) as u (id)
                order by lock_key) k) l;
end
$$;

-- One row per event that Kafka has not acknowledged yet; a parked row (Kafka can never take it) stays for an operator.
-- The lane is derived here, and not by whoever inserts, so that a user's rows can never be on two lanes.
-- CACHE 1 keeps ids in the order in which they are drawn, over all sessions.
create table identity.outbox (
    id             bigint      generated always as identity (cache 1) primary key,
    lane           smallint    not null generated always as ((uuid_hash_extended(user_id, 0) & 3)::smallint) stored,
    user_id        uuid        not null,
    message_id     uuid        not null default gen_random_uuid(),
    correlation_id uuid        not null,
    version_source text        not null,
    traceparent    text,
    created_at     timestamptz not null default clock_timestamp(),
    payload        bytea       not null,
    parked_at      timestamptz,
    parked_reason  text,
    constraint ck_outbox_parked check ((parked_at is null) = (parked_reason is null))
) with (
    -- Every row is inserted and soon deleted: vacuum by count, not by a share of a table that should be empty.
    autovacuum_vacuum_scale_factor = 0.0,
    autovacuum_vacuum_threshold = 10000,
    autovacuum_vacuum_insert_scale_factor = 0.0,
    autovacuum_vacuum_insert_threshold = 50000,
    autovacuum_vacuum_cost_delay = 0
);

create index ix_outbox_lane on identity.outbox (lane, id) where parked_at is null;
create index ix_outbox_user on identity.outbox (user_id, id) where parked_at is null;
create index ix_outbox_parked on identity.outbox (id) where parked_at is not null;

create function identity.notify_outbox() returns trigger
    language plpgsql
    set search_path = pg_catalog
as $$
begin
    perform pg_notify('access_outbox', '');
    return null;
end
$$;

create trigger tr_outbox_notify
    after insert on identity.outbox
    for each statement execute function identity.notify_outbox();

-- Who publishes which lane. A lane is held by a lease that its publisher renews; every taking raises the epoch.
create table identity.relay_lanes (
    lane       smallint primary key,
    holder     uuid,
    epoch      bigint      not null default 0,
    expires_at timestamptz not null default '-infinity'
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 500);

insert into identity.relay_lanes (lane) select generate_series(0, 3);

create table identity.relay_publishers (
    id         uuid primary key,
    expires_at timestamptz not null
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.0, autovacuum_vacuum_threshold = 500);

-- One heartbeat of one publisher: renews what it holds, gives back what is more than its share, takes what is free or
-- expired up to its share, and returns what it holds now. A lane that somebody publishes at this moment is locked by
-- them and passed over: nobody can take it, and its renewal can wait for the next heartbeat.
create function identity.relay_heartbeat(publisher uuid, lease interval)
    returns table (held_lane smallint, held_epoch bigint, has_rows boolean)
    language plpgsql
    set search_path = pg_catalog
as $$
declare
    publishers integer;
    share      integer;
    held       integer;
begin
    insert into identity.relay_publishers as p (id, expires_at)
    values (publisher, clock_timestamp() + lease)
    on conflict (id) do update set expires_at = excluded.expires_at;

    delete from identity.relay_publishers p
    where p.id in (
        select d.id from identity.relay_publishers d
        where d.expires_at < clock_timestamp() - interval '1 minute'
        for update skip locked);

    select count(*) into publishers from identity.relay_publishers p where p.expires_at > clock_timestamp();
    select ceil(count(*)::numeric / publishers) into share from identity.relay_lanes;

    update identity.relay_lanes l
    set expires_at = clock_timestamp() + lease
    where l.lane in (
        select o.lane from identity.relay_lanes o where o.holder = publisher for update skip locked);

    select count(*) into held from identity.relay_lanes l where l.holder = publisher;

    if held > share then
        update identity.relay_lanes l
        set holder = null, expires_at = '-infinity'
        where l.lane in (
            select o.lane from identity.relay_lanes o
            where o.holder = publisher
            order by o.lane desc limit held - share
            for update skip locked);
    elsif held < share then
        update identity.relay_lanes l
        set holder = publisher, epoch = l.epoch + 1, expires_at = clock_timestamp() + lease
        where l.lane in (
            select o.lane from identity.relay_lanes o
            where o.holder is distinct from publisher and o.expires_at < clock_timestamp()
            order by o.lane limit share - held
            for update skip locked);
    end if;

    return query
        select l.lane, l.epoch,
               exists (select from identity.outbox e where e.lane = l.lane and e.parked_at is null)
        from identity.relay_lanes l
        where l.holder = publisher
        order by l.lane;
end
$$;
