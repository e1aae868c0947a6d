-- Lets the expiry job find what is due without reading what is not (docs/database.md).
create index ix_role_assignments_expires on identity.role_assignments (expires_at)
    where status = 'Active' and expires_at is not null;
