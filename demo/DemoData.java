package demo;

import java.sql.SQLException;
import java.util.UUID;

/** Identity's tables, filled: one large role, and everything that makes snapshots differ. */
public final class DemoData {

    private DemoData() {}

    /**
     * @return the id of the role {@code agent}, which all users hold: every second one also another role, every tenth the
     *     same role once more for a project, every seventh without company, and some with rights that were revoked
     */
    public static UUID seed(EmbeddedStack stack, String database, int users) throws SQLException {
        var role = UUID.randomUUID();
        try (var connection = stack.superuser(database);
                var statement = connection.createStatement()) {
            connection.setAutoCommit(false);
            statement.execute("insert into identity.role_definitions (id, code) values ('" + role
                    + "', 'agent'), (gen_random_uuid(), 'developer-manager'), (gen_random_uuid(), 'catalog-editor')");
            statement.execute("insert into identity.role_permissions (role_id, permission_code) values ('" + role
                    + "', 'crm.leads.read'), ('" + role + "', 'crm.leads.export')");
            statement.execute("create temporary table seeded on commit drop as select n, gen_random_uuid() as id,"
                    + " case when n % 7 > 0 then gen_random_uuid() end as company_id from generate_series(1, " + users
                    + ") n");
            statement.execute("insert into identity.users (id, company_id) select id, company_id from seeded");
            statement.execute("insert into identity.role_assignments (id, user_id, role_id, scope_type,"
                    + " scope_organization_id) select gen_random_uuid(), id, '" + role
                    + "', case when company_id is null"
                    + " then 'Platform' else 'Organization' end, company_id from seeded");
            statement.execute("insert into identity.role_assignments (id, user_id, role_id, scope_type, expires_at)"
                    + " select gen_random_uuid(), s.id, r.id, 'Platform', now() + interval '30 days' from seeded s join"
                    + " identity.role_definitions r on r.code = 'developer-manager' where n % 2 = 0");
            statement.execute("insert into identity.role_assignments (id, user_id, role_id, scope_type,"
                    + " scope_organization_id, scope_project_id) select gen_random_uuid(), id, '" + role
                    + "', 'Project', gen_random_uuid(), gen_random_uuid() from seeded where n % 10 = 0");
            statement.execute("insert into identity.role_assignments (id, user_id, role_id, status, scope_type)"
                    + " select gen_random_uuid(), s.id, r.id, 'Revoked', 'Platform' from seeded s join"
                    + " identity.role_definitions r on r.code = 'catalog-editor' where n % 3 = 0");
            connection.commit();
            connection.setAutoCommit(true);
            statement.execute("vacuum analyze identity.role_assignments");
            statement.execute("analyze identity.users");
        }
        return role;
    }

    /** @return the id of another role, which that many users of its own hold */
    public static UUID seedOther(EmbeddedStack stack, String database, int users) throws SQLException {
        try (var connection = stack.superuser(database);
                var statement = connection.createStatement()) {
            var result =
                    statement.executeQuery("select id from identity.role_definitions where code = 'catalog-editor'");
            result.next();
            var role = result.getObject(1, UUID.class);
            statement.execute("with fresh as (insert into identity.users (id) select gen_random_uuid() from"
                    + " generate_series(1, " + users + ") returning id) insert into identity.role_assignments (id,"
                    + " user_id, role_id, scope_type) select gen_random_uuid(), id, '" + role
                    + "', 'Platform' from fresh");
            return role;
        }
    }
}
