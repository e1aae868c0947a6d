-- The queue of fan-out tasks (spec access-fan-out-job.md, "Входная модель AccessFanOutTask"; FAN-01).

create table identity.access_fanout_tasks (
    id               uuid        primary key default gen_random_uuid(),
    role_id          uuid        not null,
    company_id       uuid,
    role_version     bigint      not null,
    reason           text        not null default 'RolePermissionsChanged',
    status           text        not null default 'Pending',
    cursor           uuid,
    processed_count  integer     not null default 0,
    attempt_count    integer     not null default 0,
    lease_expires_at timestamptz,
    created_at       timestamptz not null default now(),
    started_at       timestamptz,
    completed_at     timestamptz,
    updated_at       timestamptz not null default now(),
    constraint fk_access_fanout_tasks_role foreign key (role_id)
        references identity.role_definitions (id) on delete restrict,
    constraint ck_access_fanout_tasks_role_version check (role_version >= 1),
    constraint ck_access_fanout_tasks_processed_count check (processed_count >= 0),
    constraint ck_access_fanout_tasks_attempt_count check (attempt_count >= 0),
    constraint ck_access_fanout_tasks_reason check (reason = 'RolePermissionsChanged'),
    constraint ck_access_fanout_tasks_status check (status in ('Pending', 'InProgress', 'Completed', 'Failed'))
) with (
    -- A running task is updated once a page; a lease must never read past thousands of its dead versions.
    fillfactor = 70,
    autovacuum_vacuum_scale_factor = 0.0,
    autovacuum_vacuum_threshold = 1000
);

create index ix_access_fanout_tasks_role_id on identity.access_fanout_tasks (role_id);
create index ix_access_fanout_tasks_company_id on identity.access_fanout_tasks (company_id);
create index ix_access_fanout_tasks_pending on identity.access_fanout_tasks (created_at, id)
    where status in ('Pending', 'InProgress');
create index ix_access_fanout_tasks_failed on identity.access_fanout_tasks (created_at, id)
    where status = 'Failed';

-- Wakes the workers when the transaction commits, also when plain SQL queued the task (FAN-03). PostgreSQL folds equal
-- notifications of one transaction into one.
create function identity.notify_access_fanout() returns trigger
    language plpgsql
    set search_path = pg_catalog
as $$
begin
    perform pg_notify('access_fanout_tasks', '');
    return null;
end
$$;

create trigger tr_access_fanout_tasks_notify
    after insert on identity.access_fanout_tasks
    for each statement execute function identity.notify_access_fanout();

-- For a service that changes a role in its own transaction (contract.md): queues one task with the version and company
-- that the role has in that transaction, and returns its id. Runs with the rights of its owner, so that the caller
-- needs EXECUTE on it and no right on the queue.
create function identity.enqueue_access_fanout(role_id uuid) returns uuid
    language plpgsql
    security definer
    set search_path = pg_catalog
as $$
declare
    task_id uuid;
begin
    insert into identity.access_fanout_tasks (role_id, company_id, role_version)
    select r.id, r.company_id, r.version
    from identity.role_definitions r
    where r.id = enqueue_access_fanout.role_id
    returning id into task_id;
    if task_id is null then
        raise exception 'role % does not exist', coalesce(enqueue_access_fanout.role_id::text, 'null')
            using errcode = 'foreign_key_violation';
    end if;
    return task_id;
end
$$;

revoke all on function identity.enqueue_access_fanout(uuid) from public;
