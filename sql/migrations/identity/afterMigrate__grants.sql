-- Least privilege (OPS-06): group roles without login. A deployment gives its login user the groups that it needs;
-- `run` with everything enabled needs the first four. Nobody needs the owner's rights but `migrate`.
--
--   identity_access_worker    leases tasks, publishes announcements, reads roles and assignments, appends events
--   identity_access_relay     publishes and deletes events
--   identity_access_editor    changes the permission set of a role
--   identity_access_assigner  grants, revokes and expires assignments, archives roles
--   identity_access_enqueuer  may queue a task for a role that it changed itself
--   identity_access_operator  a person with a runbook: sees the queue, the lanes and what waits, and no assignment (EVT-11)
--   identity_access_observer  counts tasks, for an autoscaler; sees no user and no event
--
-- Roles belong to the whole cluster: where the migrating user may not create them, an administrator creates them;
-- where they are missing, this file says so and grants nothing. It runs after every migration, so that what was missing is made up for.
do $$
declare
    role_name text;
begin
    foreach role_name in array array['identity_access_worker', 'identity_access_relay', 'identity_access_editor',
                                     'identity_access_assigner', 'identity_access_enqueuer',
                                     'identity_access_operator', 'identity_access_observer']
    loop
        if not exists (select from pg_roles where rolname = role_name) then
            begin
                execute format('create role %I nologin', role_name);
            exception
                when duplicate_object or unique_violation then
                    null; -- created at the same moment for another database of this cluster
                when insufficient_privilege then
                    raise warning 'role % is missing and may not be created here: nothing is granted to it', role_name;
                    continue;
            end;
        end if;
        execute format('grant usage on schema identity to %I', role_name);
    end loop;

    if exists (select from pg_roles where rolname = 'identity_access_worker') then
        -- Identity may keep more of a user than these, such as a phone number.
        grant select (id, company_id) on identity.users to identity_access_worker;
        grant select on identity.role_definitions, identity.role_assignments to identity_access_worker;
        grant select, insert, update, delete on identity.access_fanout_tasks to identity_access_worker;
        grant select, insert on identity.outbox to identity_access_worker;
        grant select, insert, delete on identity.access_announcements to identity_access_worker;
        grant select, insert, update on identity.retired_versions to identity_access_worker;
        grant execute on function identity.enqueue_access_fanout(uuid) to identity_access_worker;
    end if;
    if exists (select from pg_roles where rolname = 'identity_access_relay') then
        grant select, update (parked_at, parked_reason), delete on identity.outbox to identity_access_relay;
        grant select, update on identity.relay_lanes to identity_access_relay;
        grant select, insert, update, delete on identity.relay_publishers to identity_access_relay;
    end if;
    if exists (select from pg_roles where rolname = 'identity_access_editor') then
        grant select, update (version) on identity.role_definitions to identity_access_editor;
        grant select, insert, delete on identity.role_permissions to identity_access_editor;
        grant select on identity.role_assignments to identity_access_editor;
        grant execute on function identity.enqueue_access_fanout(uuid) to identity_access_editor;
    end if;
    if exists (select from pg_roles where rolname = 'identity_access_assigner') then
        grant select (id) on identity.users to identity_access_assigner;
        grant select on identity.access_announcements, identity.retired_versions to identity_access_assigner;
        -- Archiving a role; and PostgreSQL asks for it to lock one, as a grant does.
        grant select, update (status) on identity.role_definitions to identity_access_assigner;
        grant select, insert, update (status, version) on identity.role_assignments to identity_access_assigner;
        grant select, insert, update (waits_until), delete on identity.role_archivals to identity_access_assigner;
    end if;
    if exists (select from pg_roles where rolname = 'identity_access_enqueuer') then
        grant execute on function identity.enqueue_access_fanout(uuid) to identity_access_enqueuer;
    end if;
    if exists (select from pg_roles where rolname = 'identity_access_operator') then
        grant select, update (lease_expires_at, updated_at) on identity.access_fanout_tasks to identity_access_operator;
        grant select on identity.access_announcements, identity.role_archivals, identity.relay_lanes,
            identity.relay_publishers to identity_access_operator;
        -- Not who may do what: no payload, and of an assignment neither user nor role.
        grant select (id, lane, user_id, message_id, correlation_id, version_source, created_at, parked_at, parked_reason)
            on identity.outbox to identity_access_operator;
        grant select (id, code, company_id, version, status) on identity.role_definitions to identity_access_operator;
        grant select (id, status, scope_type, expires_at) on identity.role_assignments to identity_access_operator;
    end if;
    if exists (select from pg_roles where rolname = 'identity_access_observer') then
        grant select (status, created_at, lease_expires_at) on identity.access_fanout_tasks to identity_access_observer;
    end if;
end
$$;
