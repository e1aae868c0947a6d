-- Writes whole rows, and blocks rows that exist (REP-11, REP-13, REP-23), each only over a smaller version: whoever was
-- overtaken by a concurrent writer changes nothing, and learns it because its user is not returned. A user is in one of
-- the two sets at most. What the source does not have (avatar_file_id) is never touched.
-- Parameters: rows (upserts, blocks: parallel arrays).
-- Locks: the written rows, the upserts in the order of their ids; should two consumers deadlock, one of them tries again.
-- Returns: the users whose row was written.
with upserted as (
    insert into news.author_replicas as a
        (id, display_name, type, company_id, status, source_version, synced_at, updated_at)
    select w.id, w.display_name, w.type, w.company_id, w.status, w.source_version, w.synced_at, clock_timestamp()
    from unnest(cast(:#${variable.rows.upserts.ids} as uuid[]),
                cast(:#${variable.rows.upserts.displayNames} as text[]),
                cast(:#${variable.rows.upserts.types} as text[]),
                cast(:#${variable.rows.upserts.companyIds} as uuid[]),
                cast(:#${variable.rows.upserts.statuses} as text[]),
                cast(:#${variable.rows.upserts.versions} as bigint[]),
                cast(:#${variable.rows.upserts.syncedAts} as timestamptz[]))
             as w (id, display_name, type, company_id, status, source_version, synced_at)
    order by w.id
    on conflict (id) do update
        set display_name   = excluded.display_name,
            type           = excluded.type,
            company_id     = excluded.company_id,
            status         = excluded.status,
            source_version = excluded.source_version,
            synced_at      = excluded.synced_at,
            updated_at     = excluded.updated_at
        where a.source_version < excluded.source_version
    returning a.id),
blocked as (
    update news.author_replicas a
    set status         = 'Blocked',
        source_version = w.source_version,
        synced_at      = w.synced_at,
        updated_at     = clock_timestamp()
    from unnest(cast(:#${variable.rows.blocks.ids} as uuid[]),
                cast(:#${variable.rows.blocks.versions} as bigint[]),
                cast(:#${variable.rows.blocks.syncedAts} as timestamptz[]))
             as w (id, source_version, synced_at)
    where a.id = w.id and a.source_version < w.source_version
    returning a.id)
select u.id from upserted u
union all
select b.id from blocked b
