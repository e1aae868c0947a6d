-- Writes what is to be held of users, each only over the row that was read: whoever was overtaken by another consumer
-- changes nothing, and learns it because the user is not returned.
-- Parameters: rows (parallel arrays; assignments null: Invalidated).
-- Locks: the written rows, in the order of their ids.
-- Returns: the users whose row was written.
insert into access_cache.user_access as a
    (user_id, company_id, state, assignments, versions, message_ids, role_changed_last, revision, updated_at)
select w.user_id, w.company_id, case when w.assignments is null then 'Invalidated' else 'Fresh' end,
       cast(w.assignments as jsonb), cast(w.versions as jsonb), cast(w.message_ids as jsonb), w.role_changed_last,
       w.revision + 1, clock_timestamp()
from unnest(cast(:#${variable.rows.ids} as uuid[]),
            cast(:#${variable.rows.companyIds} as uuid[]),
            cast(:#${variable.rows.assignments} as text[]),
            cast(:#${variable.rows.versions} as text[]),
            cast(:#${variable.rows.messageIds} as text[]),
            cast(:#${variable.rows.rolesChangedLast} as boolean[]),
            cast(:#${variable.rows.revisions} as bigint[]))
         as w (user_id, company_id, assignments, versions, message_ids, role_changed_last, revision)
order by w.user_id
on conflict (user_id) do update
    set company_id        = excluded.company_id,
        state             = excluded.state,
        assignments       = excluded.assignments,
        versions          = excluded.versions,
        message_ids       = excluded.message_ids,
        role_changed_last = excluded.role_changed_last,
        revision          = excluded.revision,
        -- A clock that was set back does not make an old picture new.
        updated_at        = greatest(excluded.updated_at, a.updated_at + interval '1 microsecond'),
        -- A role that the user had before and has still: its changes were told. Any other may have changed while nobody had it.
        gained_at         = case
                                when jsonb_path_query_array(a.assignments, '$[*].RoleId')
                                     @> jsonb_path_query_array(excluded.assignments, '$[*].RoleId') then a.gained_at
                                else greatest(excluded.updated_at, a.updated_at + interval '1 microsecond')
                            end
    where a.revision = excluded.revision - 1
returning a.user_id
