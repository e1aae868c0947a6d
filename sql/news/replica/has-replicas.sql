-- Whether anything is held, so that records can have been missed.
-- Parameters: none.
-- Locks: none.
-- Returns: one row; no row when the table is empty, as when a group is new.
select true where exists (select from news.author_replicas)
