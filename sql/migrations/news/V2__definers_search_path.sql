-- What runs with its owner's rights must not take a type or a table from its caller: a search path that does not name pg_temp
-- has it first.
alter function news.forget_processed_messages() set search_path = pg_catalog, pg_temp;
