package tests.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import app.Settings;
import app.db.Migrations;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tests.support.TestSystem;

@DisplayName("The schema")
class SchemaTest {

    @RegisterExtension
    final TestSystem system = new TestSystem();

    @Test
    @DisplayName("FAN-01 the queue has exactly the documented columns, types, nullability and defaults")
    void queueColumns() {
        var columns = system.identity().sql().queryForList("""
                        select column_name || ' ' || data_type || case is_nullable when 'NO' then ' not null' else '' end
                               || coalesce(' default ' || column_default, '')
                        from information_schema.columns
                        where table_schema = 'identity' and table_name = 'access_fanout_tasks'
                        order by ordinal_position""", String.class);

        assertThat(columns)
                .containsExactly(
                        "id uuid not null default gen_random_uuid()",
                        "role_id uuid not null",
                        "company_id uuid",
                        "role_version bigint not null",
                        "reason text not null default 'RolePermissionsChanged'::text",
                        "status text not null default 'Pending'::text",
                        "cursor uuid",
                        "processed_count integer not null default 0",
                        "attempt_count integer not null default 0",
                        "lease_expires_at timestamp with time zone",
                        "created_at timestamp with time zone not null default now()",
                        "started_at timestamp with time zone",
                        "completed_at timestamp with time zone",
                        "updated_at timestamp with time zone not null default now()");
    }

    @Test
    @DisplayName("FAN-01 the queue has the documented indexes")
    void queueIndexes() {
        var indexes = system.identity()
                .sql()
                .queryForList(
                        "select indexdef from pg_indexes where schemaname = 'identity' and tablename ="
                                + " 'access_fanout_tasks'",
                        String.class);

        assertThat(indexes)
                .anyMatch(index -> index.contains("ix_access_fanout_tasks_role_id") && index.endsWith("(role_id)"))
                .anyMatch(index -> index.endsWith("(company_id)"))
                .anyMatch(index -> index.contains("ix_access_fanout_tasks_pending")
                        && index.contains("WHERE (status = ANY (ARRAY['Pending'::text, 'InProgress'::text]))"));
    }

    @ParameterizedTest(name = "FAN-01 the queue refuses {0}")
    @ValueSource(
            strings = {
                "role_version = 0",
                "processed_count = -1",
                "attempt_count = -1",
                "status = 'Done'",
                "reason = 'Whatever'",
                "role_id = gen_random_uuid()",
                "role_version = null"
            })
    void queueChecks(String change) {
        var task = system.identity().enqueue(system.identity().role("agent"));

        assertThatThrownBy(() -> system.identity()
                        .sql()
                        .update("update identity.access_fanout_tasks set " + change + " where id = ?", task))
                .rootCause()
                .isInstanceOfSatisfying(
                        SQLException.class, e -> assertThat(e.getSQLState()).startsWith("23"));
    }

    @Test
    @DisplayName("FAN-01 a role with tasks cannot be deleted")
    void restrictsDelete() {
        var role = system.identity().role("agent");
        system.identity().enqueue(role);

        assertThatThrownBy(() ->
                        system.identity().sql().update("delete from identity.role_definitions where id = ?", role))
                .hasMessageContaining("fk_access_fanout_tasks_role");
    }

    @Test
    @DisplayName("FAN-02 enqueue_access_fanout queues a task in the caller's transaction and names an unknown role")
    void enqueueFunction() {
        var identity = system.identity();
        var company = UUID.randomUUID();
        var role = identity.role("agent");
        identity.sql()
                .update("update identity.role_definitions set version = 7, company_id = ? where id = ?", company, role);

        identity.sql().execute("begin");
        identity.enqueue(role);
        identity.sql().execute("rollback");
        assertThat(identity.count("identity.access_fanout_tasks")).isZero();

        assertThat(identity.task(identity.enqueue(role)))
                .containsEntry("role_id", role)
                .containsEntry("company_id", company)
                .containsEntry("role_version", 7L)
                .containsEntry("reason", "RolePermissionsChanged")
                .containsEntry("status", "Pending");
        var unknown = UUID.randomUUID();
        assertThatThrownBy(() -> identity.enqueue(unknown)).hasMessageContaining("role " + unknown + " does not exist");
    }

    @Test
    @DisplayName("OPS-06 the routes' user may do what the routes do, and nothing else to identity's tables")
    void leastPrivilege() throws SQLException {
        try (var connection =
                        DriverManager.getConnection(TestSystem.stack().url(system.database()), "identity_access", "");
                var statement = connection.createStatement()) {
            statement.execute("select count(*) from identity.role_assignments");
            for (var forbidden : new String[] {
                "insert into identity.users (id) values (gen_random_uuid())",
                "update identity.role_assignments set user_id = gen_random_uuid()",
                "update identity.role_assignments set role_id = gen_random_uuid()",
                "delete from identity.role_assignments",
                "update identity.role_definitions set code = 'another'",
                "delete from identity.role_definitions",
                "update identity.access_announcements set reason = 'AssignmentGranted'",
                "update identity.outbox set payload = ''",
                "create table identity.mine (id int)"
            }) {
                assertThatThrownBy(() -> statement.execute(forbidden))
                        .as(forbidden)
                        .isInstanceOfSatisfying(
                                SQLException.class,
                                e -> assertThat(e.getSQLState()).isEqualTo("42501"));
            }
        }
    }

    @Test
    @DisplayName("OPS-03 instances that start at once migrate once, and again changes nothing")
    void concurrentMigration() throws Exception {
        var database = system.database() + "_fresh";
        TestSystem.createDatabase(database, "template0");
        var settings = settings(database);
        int instances = 4;
        var barrier = new CyclicBarrier(instances);
        Callable<Integer> migrate = () -> {
            barrier.await();
            return new Migrations(settings).run();
        };
        var pool = Executors.newFixedThreadPool(instances);
        int applied = 0;
        for (var result : pool.invokeAll(java.util.Collections.nCopies(instances, migrate))) {
            applied += result.get();
        }
        pool.shutdown();

        assertThat(applied).isEqualTo(9);
        assertThat(new Migrations(settings).run()).isZero();
    }

    @Test
    @DisplayName("OPS-03 identity's own tables, with more columns and another owner, are used and not touched")
    void existingIdentity() throws Exception {
        var database = system.database() + "_real";
        TestSystem.createDatabase(database, "template0");
        try (var connection = TestSystem.stack().superuser(database);
                var statement = connection.createStatement()) {
            statement.execute("""
                    create schema identity;
                    create table identity.users (id uuid primary key, company_id uuid, phone text default 'x');
                    create table identity.role_definitions (id uuid primary key, code text not null, company_id uuid,
                        version bigint not null default 1, status text not null default 'Active', title text default 't');
                    create table identity.role_permissions (role_id uuid, permission_code text,
                        granted_at timestamptz default now(), primary key (role_id, permission_code));
                    create table identity.role_assignments (id uuid primary key,
                        user_id uuid not null references identity.users, role_id uuid not null references
                        identity.role_definitions, status text not null, scope_type text not null,
                        scope_organization_id uuid, scope_project_group_id uuid, scope_project_id uuid,
                        expires_at timestamptz, version bigint not null default 1, granted_by uuid);
                    """);
        }

        assertThat(new Migrations(settings(database)).run()).isEqualTo(7);

        try (var connection = TestSystem.stack().superuser(database);
                var statement = connection.createStatement()) {
            var result = statement.executeQuery(
                    "select to_regclass('identity.access_routes_stand_in_history') is null, exists (select from"
                            + " pg_indexes where tablename = 'role_assignments' and indexname like 'ix_%')");
            result.next();
            assertThat(result.getBoolean(1)).as("no stand-in was made").isTrue();
            assertThat(result.getBoolean(2)).as("no index was added").isFalse();
        }
    }

    @Test
    @DisplayName("OPS-03 a database that lacks some of identity's tables is refused, and the missing ones are named")
    void partialIdentity() throws Exception {
        var database = system.database() + "_partial";
        TestSystem.createDatabase(database, "template0");
        try (var connection = TestSystem.stack().superuser(database);
                var statement = connection.createStatement()) {
            statement.execute("create schema identity; create table identity.users (id uuid primary key)");
        }

        assertThatThrownBy(() -> new Migrations(settings(database)).run())
                .hasMessageContaining("[role_definitions, role_permissions, role_assignments]");
    }

    private static Settings settings(String database) {
        Properties properties = TestSystem.stack().settings(database);
        return Settings.load(null, Map.of(), properties);
    }
}
