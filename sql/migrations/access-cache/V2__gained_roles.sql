-- Since when a user has all of the roles that he has now. While nobody has a role, nobody is told that it changes, so what a reader
-- keeps of the role from before is not good for whoever is given it (spec user-access-changed.md, "Порядок и согласованность").
-- What readers keep at the time of this migration is asked for again.
alter table access_cache.user_access
    add column gained_at timestamptz not null default now();

create or replace view access_cache.current_access as
select a.user_id,
       a.company_id,
       (select coalesce(jsonb_agg(e.assignment order by e.position), '[]'::jsonb)
        from jsonb_array_elements(a.assignments) with ordinality as e (assignment, position)
        where coalesce((e.assignment ->> 'ExpiresAt')::timestamptz, 'infinity') > clock_timestamp()) as assignments,
       a.updated_at,
       a.gained_at
from access_cache.user_access a
where a.state = 'Fresh'
  and a.updated_at > coalesce((select v.at from access_cache.voided v), '-infinity');
