-- Archives a role, and notes that its assignments are to be revoked (INV-R5).
-- Parameters: roleId, correlationId.
-- Locks: the role's row, which is locked already.
-- Returns: nothing.
with archived as (
    update identity.role_definitions r set status = 'Archived' where r.id = :#roleId
)
insert into identity.role_archivals (role_id, correlation_id)
values (:#roleId, :#correlationId)
on conflict (role_id) do nothing
