-- Least privilege (OPS-06): a group role without login. A deployment gives it to the login user of `run`.
--
--   news_replica   writes the author replica and its marks, and nothing else (REP-22)
--
-- Roles belong to the whole cluster: where the migrating user may not create them, an administrator creates them
-- first; where they are missing, this file says so and grants nothing.

-- A trigger fires without this right; with it, anybody could call the function from a table of their own.
revoke all on function news.forget_processed_messages() from public;

do $$
begin
    if not exists (select from pg_roles where rolname = 'news_replica') then
        begin
            create role news_replica nologin;
        exception
            when duplicate_object or unique_violation then
                null; -- created at the same moment for another database of this cluster
            when insufficient_privilege then
                raise warning 'role news_replica is missing and may not be created here: nothing is granted to it';
                return;
        end;
    end if;
    grant usage on schema news to news_replica;
    grant select, insert, update on news.author_replicas to news_replica;
    grant select, insert, delete on news.processed_messages to news_replica;
end
$$;
