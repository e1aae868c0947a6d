package tests.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tests.operations.Kinds.ScaledObject;
import tests.support.TestSystem;

@DisplayName("Autoscaling")
class AutoscalingTest {

    @RegisterExtension
    final TestSystem system = new TestSystem();

    @Test
    @DisplayName(
            "OPS-06 the query counts the open tasks, with the rights of identity_access_observer, which sees no user")
    void query() throws Exception {
        var identity = system.identity();
        for (var status : new String[] {"Pending", "Pending", "InProgress", "Completed", "Failed"}) {
            var task = identity.enqueue(identity.role("role-" + status));
            identity.sql().update("update identity.access_fanout_tasks set status = ? where id = ?", status, task);
        }
        var query = Kinds.read(Kustomization.render(Path.of("k8s/overlays/prod")), ScaledObject.class).stream()
                .flatMap(scaled -> scaled.spec().triggers().stream())
                .filter(trigger -> trigger.type().equals("postgresql"))
                .findFirst()
                .orElseThrow()
                .metadata()
                .get("query");
        var user = "autoscaler_" + system.database();
        identity.sql().execute("create user " + user + " in role identity_access_observer");
        try (var connection = DriverManager.getConnection(TestSystem.stack().url(system.database()), user, "")) {

            assertThat(number(connection, query)).isEqualTo(3);
            for (var table : new String[] {"users", "role_assignments", "outbox", "access_announcements"}) {
                assertThatThrownBy(() -> number(connection, "select count(*) from identity." + table))
                        .as(table)
                        .hasMessageContaining("permission denied");
            }
            assertThatThrownBy(() -> number(connection, "select count(role_id) from identity.access_fanout_tasks"))
                    .hasMessageContaining("permission denied");
        } finally {
            identity.sql().execute("drop user " + user);
        }
    }

    private static long number(Connection connection, String query) throws SQLException {
        try (var statement = connection.createStatement();
                var rows = statement.executeQuery(query)) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
