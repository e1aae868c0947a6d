package routes.identity;

import org.apache.camel.builder.RouteBuilder;
import processors.identity.Announcement;
import processors.identity.RoleChangeRejectedException;

/**
 * Changes the permission set of a role and tells everyone concerned (FAN-02). The body is a
 * {@link processors.identity.RoleChange}, the answer a {@link processors.identity.RoleChanged}; a change that cannot be
 * done throws {@link RoleChangeRejectedException} and leaves everything as it was.
 */
public class SetRolePermissionsRoute extends RouteBuilder {

    @Override
    public void configure() {
        from("direct:set-role-permissions")
                .routeId("set-role-permissions")
                .description("Changes the permissions of a role, and reports the change once it is committed")
                .errorHandler(noErrorHandler())
                .to("direct:change-role")
                .bean("fanOutObserver", "roleChanged");

        from("direct:change-role")
                .routeId("change-role")
                .description("Permissions, version, and the events themselves or one task; one transaction")
                .errorHandler(noErrorHandler())
                .transacted("identity-tx")
                .setVariable("change", body())
                .setVariable("inlineThreshold").simple("{{identity.fanout.inline-threshold}}", Integer.class)
                .to("sql:classpath:sql/identity/roles/lock-role.sql?dataSource=#identity-db"
                        + "&outputType=SelectOne&outputClass=processors.identity.Role")
                .filter(body().isNull())
                    .throwException(RoleChangeRejectedException.class, "role ${variable.change.roleId} does not exist")
                .end()
                .setVariable("role", body())
                .to("sql:classpath:sql/identity/roles/select-permissions.sql?dataSource=#identity-db"
                        + "&outputType=SelectOne&outputClass=processors.identity.RolePermissions")
                .setVariable("plan").method("roleChanges", "plan(${variable.change}, ${variable.role}, ${body})")
                .choice()
                    .when(simple("${variable.plan.changesNothing}"))
                        .setBody(method("roleChanges", "unchanged(${variable.role})"))
                    .otherwise()
                        .to("direct:publish-role-change")
                .end();

        from("direct:publish-role-change")
                .routeId("publish-role-change")
                .description("Writes the new permission set; few users: their events now; many: one task")
                .errorHandler(noErrorHandler())
                .to("sql:classpath:sql/identity/roles/replace-permissions.sql?dataSource=#identity-db")
                .to("sql:classpath:sql/identity/roles/bump-role-version.sql?dataSource=#identity-db&outputType=SelectOne")
                .setVariable("roleVersion", body())
                .to("sql:classpath:sql/identity/roles/select-few-users.sql?dataSource=#identity-db"
                        + "&outputType=SelectOne&outputClass=processors.identity.Page")
                .setVariable("page", body())
                .choice()
                    .when(simple("${variable.page.size} > ${variable.inlineThreshold}"))
                        .to("sql:classpath:sql/identity/roles/enqueue-task.sql?dataSource=#identity-db&outputType=SelectOne")
                        .setBody(method("roleChanges", "queued(${variable.role}, ${variable.roleVersion}, ${body})"))
                    .when(simple("${variable.page.size} > 0"))
                        .setVariable("announcement", method(Announcement.class,
                                "ofRole(${variable.page}, ${variable.role}, ${variable.roleVersion})"))
                        .to("direct:access-snapshots")
                        .setBody(method("roleChanges", "published(${variable.role}, ${variable.roleVersion}, ${variable.page})"))
                    .otherwise()
                        .setBody(method("roleChanges", "published(${variable.role}, ${variable.roleVersion}, ${variable.page})"))
                .end();
    }
}
