-- A stand-in for the tables that the identity platform owns: only what this project reads, for development, tests and
-- the demo. A real identity database has these tables already (with more columns) and never runs this file.

create table identity.users (
    id         uuid primary key,
    company_id uuid
);

create table identity.role_definitions (
    id         uuid primary key,
    code       text   not null,
    company_id uuid,
    version    bigint not null default 1,
    status     text   not null default 'Active',
    constraint ck_role_definitions_version check (version >= 1),
    constraint ck_role_definitions_status check (status in ('Active', 'Archived'))
);

create table identity.role_permissions (
    role_id         uuid not null references identity.role_definitions (id),
    permission_code text not null,
    primary key (role_id, permission_code)
);

-- No check on scope_type: a newer identity may write a scope type that this version does not know (EVT-09).
create table identity.role_assignments (
    id                     uuid primary key,
    user_id                uuid   not null references identity.users (id),
    role_id                uuid   not null references identity.role_definitions (id),
    status                 text   not null default 'Active',
    scope_type             text   not null default 'Platform',
    scope_organization_id  uuid,
    scope_project_group_id uuid,
    scope_project_id       uuid,
    expires_at             timestamptz,
    version                bigint not null default 1,
    constraint ck_role_assignments_status check (status in ('Active', 'Revoked', 'Expired')),
    constraint ck_role_assignments_version check (version >= 1)
);

-- The two indexes that a real identity database must have as well (docs/database.md): the first makes a page cost the
-- same wherever it lies in the role, the second makes a snapshot cost what the user holds.
create index ix_role_assignments_role_active on identity.role_assignments (role_id, user_id) where status = 'Active';
create index ix_role_assignments_user on identity.role_assignments (user_id);
