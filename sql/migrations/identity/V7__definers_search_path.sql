-- What runs with its owner's rights must not take a type or a table from its caller: a search path that does not name pg_temp
-- has it first, and a domain pg_temp.uuid with a CHECK would run the caller's code as the owner.
alter function identity.enqueue_access_fanout(uuid) set search_path = pg_catalog, pg_temp;
alter function identity.announce_access(uuid[], text) set search_path = pg_catalog, pg_temp;
alter function identity.announce_deleted_assignments() set search_path = pg_catalog, pg_temp;
alter function identity.announce_deleted_users() set search_path = pg_catalog, pg_temp;
