-- Least privilege (OPS-06): group roles without login. A deployment gives the first to the login user of `run`.
--
--   news_replica    writes the author replica and its marks, and nothing else (REP-22)
--   news_operator   a person with a runbook: sees how far rows are, and no name
--
-- Roles belong to the whole cluster: where the migrating user may not create them, an administrator creates them;
-- where they are missing, this file says so and grants nothing. It runs after every migration, so that what was missing is made up for.

-- A trigger fires without this right; with it, anybody could call the function from a table of their own.
revoke all on function news.forget_processed_messages() from public;

do $$
declare
    name text;
begin
    foreach name in array array ['news_replica', 'news_operator'] loop
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
        execute format('grant usage on schema news to %I', name);
    end loop;
    if exists (select from pg_roles where rolname = 'news_replica') then
        grant select, insert, update on news.author_replicas to news_replica;
        grant select, insert, delete on news.processed_messages to news_replica;
    end if;
    if exists (select from pg_roles where rolname = 'news_operator') then
        grant select (id, type, company_id, status, source_version, synced_at, updated_at)
            on news.author_replicas to news_operator;
    end if;
end
$$;
