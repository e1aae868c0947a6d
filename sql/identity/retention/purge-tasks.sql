-- Deletes the oldest tasks that were completed longer ago than they are kept (OPS-07). Failed tasks stay.
-- Parameters: keepMillis, rows.
-- Locks: the deleted rows; rows that others hold are passed over.
-- Returns: one row: how many were deleted.
with purged as (
    delete from identity.access_fanout_tasks t
    where t.id in (
        select o.id
        from identity.access_fanout_tasks o
        where o.status = 'Completed'
          and o.completed_at < (select clock_timestamp() - :#keepMillis * interval '1 millisecond')
        order by o.completed_at
        limit :#rows
        for update skip locked)
    returning t.id
)
select count(*)::integer as size from purged
