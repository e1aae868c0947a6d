-- Takes note of a page: when nobody holds the role any more, nothing is left to do for it; when the page has changed nothing,
-- what is left is locked by somebody else, and the next look is a little later.
-- Parameters: roleId, changed (size).
-- Locks: the archival's row.
-- Returns: one row: whether somebody still holds the role.
with holders as materialized (
    select exists (
        select from identity.role_assignments a where a.role_id = :#roleId and a.status = 'Active') as left_over
), finished as (
    delete from identity.role_archivals a
    using holders h
    where a.role_id = :#roleId and not h.left_over
), waiting as (
    update identity.role_archivals a
    set waits_until = clock_timestamp() + interval '2 seconds'
    from holders h
    where a.role_id = :#roleId and h.left_over and :#${variable.changed.size} = 0
)
select h.left_over from holders h
