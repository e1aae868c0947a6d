-- Least privilege (OPS-06): group roles without login.
--
--   access_cache_writer    the consumer: writes the cache, and nothing else
--   access_cache_reader    the service: reads what is current, and not the table behind it
--   access_cache_operator  a person with a runbook: sees who is known, and no right (EVT-11); may void the whole cache
--
-- Roles belong to the whole cluster: where the migrating user may not create them, an administrator creates them;
-- where they are missing, this file says so and grants nothing. It runs after every migration, so that what was missing is made up for.
do $$
declare
    name text;
begin
    foreach name in array array ['access_cache_writer', 'access_cache_reader', 'access_cache_operator'] loop
        if not exists (select from pg_roles where rolname = name) then
            begin
                execute format('create role %I nologin', name);
            exception
                when duplicate_object or unique_violation then
                    null; -- created at the same moment for another database of this cluster
                when insufficient_privilege then
                    raise warning 'role % is missing and may not be created here: nothing is granted to it', name;
                    continue;
            end;
        end if;
        execute format('grant usage on schema access_cache to %I', name);
    end loop;
    if exists (select from pg_roles where rolname = 'access_cache_writer') then
        grant select, insert, update
            on access_cache.user_access, access_cache.role_changes, access_cache.freshness, access_cache.voided
            to access_cache_writer;
        grant delete on access_cache.freshness to access_cache_writer;
    end if;
    if exists (select from pg_roles where rolname = 'access_cache_reader') then
        grant select
            on access_cache.current_access, access_cache.role_changes, access_cache.freshness, access_cache.voided
            to access_cache_reader;
        -- Since when what was asked for before is void, also of users who are not current.
        grant select (user_id, state, updated_at) on access_cache.user_access to access_cache_reader;
    end if;
    if exists (select from pg_roles where rolname = 'access_cache_operator') then
        grant select (user_id, state, updated_at) on access_cache.user_access to access_cache_operator;
        grant select on access_cache.freshness to access_cache_operator;
        grant select, insert, update on access_cache.voided to access_cache_operator;
    end if;
end
$$;
