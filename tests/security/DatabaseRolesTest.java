package tests.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import app.Settings;
import app.db.Migrations;
import demo.EmbeddedStack;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import tests.support.TestSystem;

/** All schemas in one database, where a role that may do too much finds the most to do. */
@DisplayName("Database roles")
class DatabaseRolesTest {

    private static final String DATABASE = "roles_" + ProcessHandle.current().pid();

    private static JdbcTemplate sql;

    /** As docs/database.md says: identity's tables are somebody else's, and whoever migrates is no superuser. */
    @BeforeAll
    static void migrate() throws Exception {
        TestSystem.createDatabase(DATABASE, "template0");
        var stack = TestSystem.stack();
        sql = new JdbcTemplate(new SingleConnectionDataSource(stack.url(DATABASE), "postgres", "", true));
        sql.execute("""
                create role roles_identity;
                create role roles_migrator login createrole;
                create schema identity authorization roles_identity;
                set role roles_identity;
                create table identity.users (id uuid primary key, company_id uuid, phone text);
                create table identity.role_definitions (id uuid primary key, code text not null, company_id uuid,
                    version bigint not null default 1, status text not null default 'Active');
                create table identity.role_permissions (role_id uuid, permission_code text,
                    primary key (role_id, permission_code));
                create table identity.role_assignments (id uuid primary key, user_id uuid not null,
                    role_id uuid not null, status text not null default 'Active', scope_type text not null,
                    scope_organization_id uuid, scope_project_group_id uuid, scope_project_id uuid,
                    expires_at timestamptz, version bigint not null default 1);
                """);
        for (var grant : found("docs/database.md", "(?m)^(grant .* to) my_migrator( with grant option)?;")) {
            sql.execute(grant.replace("my_migrator", "roles_migrator"));
        }
        sql.execute("reset role; grant create on database " + DATABASE + " to roles_migrator");
        migration();
        sql.execute("create role roles_login login");
    }

    private static void migration() {
        var stack = TestSystem.stack();
        var settings = stack.withAccessCache(stack.settings(DATABASE), DATABASE);
        settings.putAll(Map.of(
                "news.enabled", "true",
                "news.db.url", stack.url(DATABASE),
                "news.db.user", EmbeddedStack.NEWS_USER,
                "db.migration.user", "roles_migrator",
                "db.migration.stand-in-tables", "never"));
        new Migrations(Settings.load(null, Map.of(), settings)).run();
    }

    @AfterAll
    static void drop() throws SQLException {
        ((SingleConnectionDataSource) sql.getDataSource()).destroy();
        try (var connection = TestSystem.stack().superuser("postgres");
                var statement = connection.createStatement()) {
            statement.execute("drop database " + DATABASE + " with (force)");
            statement.execute("drop role roles_identity, roles_migrator, roles_login");
        }
    }

    @Test
    @DisplayName("OPS-06 each role has exactly the rights that docs/security.md lists, over all schemas")
    void rights() throws IOException {
        var documented = new TreeSet<String>();
        for (var row : found("docs/security.md", "(?m)^\\| `\\w+` \\| `\\w+\\.\\w+`.* \\|$")) {
            var cells = row.split(" *\\| *");
            for (var table : cells[2].split(", ")) {
                for (var right : cells[3].split(", (?![^(]*\\))")) {
                    documented.add((cells[1] + " " + table + " " + right).replace("`", ""));
                }
            }
        }

        assertThat(new TreeSet<>(sql.queryForList("""
                        with roles as (
                            select rolname as name from pg_roles where rolname ~ '^(identity_access|news|access_cache)_' and not rolcanlogin),
                        tables as (
                            select c.oid, n.nspname || '.' || c.relname as name
                            from pg_class c join pg_namespace n on n.oid = c.relnamespace
                            where n.nspname in ('identity', 'news', 'access_cache') and c.relkind in ('r', 'v')),
                        whole as (
                            select r.name as role, t.oid, t.name, p.privilege
                            from roles r, tables t,
                                 unnest(array['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER']) as p (privilege)
                            where has_table_privilege(r.name, t.oid, p.privilege))
                        select role || ' ' || name || ' ' || privilege from whole
                        union
                        select r.name || ' ' || t.name || ' ' || p.privilege || ' (' || string_agg(a.attname, ', ' order by a.attname) || ')'
                        from roles r, tables t, pg_attribute a, unnest(array['SELECT', 'INSERT', 'UPDATE']) as p (privilege)
                        where a.attrelid = t.oid and a.attnum > 0 and has_column_privilege(r.name, t.oid, a.attnum, p.privilege)
                          and not has_table_privilege(r.name, t.oid, p.privilege)
                        group by r.name, t.name, p.privilege
                        """, String.class))).isEqualTo(documented);
    }

    @Test
    @DisplayName(
            "OPS-06 whoever has none of the roles can call announce_access, with its owner's rights, and nothing else")
    void functions() {
        assertThat(sql.queryForList("""
                        select p.oid::regprocedure::text from pg_proc p join pg_namespace n on n.oid = p.pronamespace
                        where n.nspname in ('identity', 'news', 'access_cache') and p.prosecdef
                          and has_function_privilege('public', p.oid, 'EXECUTE')""", String.class)).containsExactly("identity.announce_access(uuid[],text)");
    }

    @Test
    @DisplayName("OPS-06 what runs with its owner's rights takes no type from its caller")
    void ownersRights() throws SQLException {
        sql.execute("insert into identity.role_definitions (id, code) values (gen_random_uuid(), 'agent')");
        sql.execute("grant identity_access_enqueuer to roles_login");
        var role =
                sql.queryForObject("select id::text from identity.role_definitions where code = 'agent'", String.class);
        try (var connection = DriverManager.getConnection(TestSystem.stack().url(DATABASE), "roles_login", "");
                var caller = connection.createStatement()) {
            caller.execute("""
                    create function pg_temp.run(pg_catalog.uuid) returns boolean language plpgsql as $$
                    begin
                        raise exception 'the caller is %', current_user;
                    end $$;
                    create domain pg_temp.uuid as pg_catalog.uuid check (pg_temp.run(value));
                    """);

            caller.execute("select identity.enqueue_access_fanout('" + role + "')");
        } finally {
            sql.execute("revoke identity_access_enqueuer from roles_login");
        }
        assertThat(sql.queryForList(
                        "select proname from pg_proc where prosecdef and not coalesce('search_path=pg_catalog, pg_temp' = any (proconfig), false)",
                        String.class))
                .isEmpty();
    }

    @Test
    @DisplayName("OPS-03 migrating again grants what is missing")
    void grantsAgain() {
        sql.execute("revoke all on identity.outbox from identity_access_relay");

        migration();

        assertThat(sql.queryForObject(
                        "select has_table_privilege('identity_access_relay', 'identity.outbox', 'delete')",
                        Boolean.class))
                .isTrue();
    }

    @ParameterizedTest(name = "OPS-06 {0} is refused: {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "news_replica | select count(*) from identity.users",
                "news_replica | select count(*) from access_cache.current_access",
                "news_replica | delete from news.author_replicas",
                "access_cache_writer | select count(*) from identity.role_assignments",
                "access_cache_writer | select count(*) from news.author_replicas",
                "access_cache_writer | delete from access_cache.user_access",
                "access_cache_reader | select assignments from access_cache.user_access",
                "access_cache_reader | update access_cache.role_changes set changed_at = now()",
                "access_cache_reader | insert into access_cache.voided (at) values (now())",
                "identity_access_worker | update identity.role_assignments set status = 'Active'",
                "identity_access_worker | delete from identity.outbox",
                "identity_access_worker | select phone from identity.users",
                "identity_access_assigner | select phone from identity.users",
                "identity_access_relay | select count(*) from identity.role_assignments",
                "identity_access_relay | update identity.outbox set payload = ''",
                "identity_access_editor | update identity.role_assignments set status = 'Active'",
                "identity_access_assigner | select count(*) from identity.role_permissions",
                "identity_access_enqueuer | select count(*) from identity.access_fanout_tasks",
                "identity_access_enqueuer | select count(*) from identity.role_assignments",
            })
    void refused(String role, String statement) throws SQLException {
        sql.execute("grant " + role + " to roles_login");
        try (var connection = DriverManager.getConnection(TestSystem.stack().url(DATABASE), "roles_login", "");
                var refused = connection.createStatement()) {
            assertThatThrownBy(() -> refused.execute(statement))
                    .isInstanceOfSatisfying(
                            SQLException.class,
                            e -> assertThat(e.getSQLState()).as(e.getMessage()).isEqualTo("42501"));
        } finally {
            sql.execute("revoke " + role + " from roles_login");
        }
    }

    private static List<String> found(String document, String pattern) throws IOException {
        var found = Pattern.compile(pattern)
                .matcher(Files.readString(Path.of(document)))
                .results()
                .map(match -> match.group())
                .toList();
        assertThat(found).as(pattern + " in " + document).isNotEmpty();
        return found;
    }
}
