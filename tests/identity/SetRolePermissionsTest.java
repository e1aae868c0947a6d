package tests.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import app.AccessApplication;
import java.util.List;
import java.util.UUID;
import org.apache.camel.CamelExecutionException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import processors.identity.RoleChange;
import processors.identity.RoleChangeRejectedException;
import processors.identity.RoleChanged;
import tests.support.Metrics;
import tests.support.TestSystem;

@DisplayName("A change of a role's permissions")
class SetRolePermissionsTest {

    @RegisterExtension
    final TestSystem system = new TestSystem();

    @Test
    @DisplayName("FAN-02 few users: their events are in the same transaction, with the new version")
    void inline() {
        var identity = system.identity();
        var role = identity.role("agent", "leads.read");
        var users = identity.usersOf(role, 3);
        var application = system.start("identity.fanout.inline-threshold", "3");

        var changed = change(application, RoleChange.replace(role, List.of("leads.read", "leads.export")));

        assertThat(changed).isEqualTo(new RoleChanged(role, 2, true, 3, null));
        assertThat(permissions(role)).containsExactly("leads.export", "leads.read");
        assertThat(identity.count("identity.access_fanout_tasks")).isZero();
        assertThat(system.topic().records(3))
                .hasSize(3)
                .allSatisfy(record -> assertThat(record.event().version()).isEqualTo(2))
                .extracting(record -> record.user())
                .containsExactlyInAnyOrderElementsOf(users);
        assertThat(Metrics.of(application).value("identity_access_fanout_size_sum"))
                .isEqualTo(3);
    }

    @Test
    @DisplayName("FAN-02 many users: one task with the role's version and company, and every change its own")
    void queued() {
        var identity = system.identity();
        var role = identity.role("agent", "leads.read");
        var company = UUID.randomUUID();
        identity.sql().update("update identity.role_definitions set company_id = ? where id = ?", company, role);
        identity.usersOf(role, 4);
        var application = system.start("identity.fanout.inline-threshold", "3");

        var first = change(application, RoleChange.add(role, "leads.export"));
        var second = change(application, RoleChange.remove(role, "leads.read"));

        assertThat(first.taskId()).isNotNull().isNotEqualTo(second.taskId());
        assertThat(identity.task(first.taskId()))
                .containsEntry("role_version", 2L)
                .containsEntry("company_id", company)
                .containsEntry("role_id", role)
                .containsEntry("reason", "RolePermissionsChanged");
        assertThat(identity.task(second.taskId())).containsEntry("role_version", 3L);
        assertThat(permissions(role)).containsExactly("leads.export");
        assertThat(system.topic().records(8)).hasSize(8);
    }

    @Test
    @DisplayName("FAN-02 the same set again: no version, no event, no task")
    void sameSet() {
        var role = system.identity().role("agent", "leads.read", "leads.export");
        system.identity().usersOf(role, 2);
        var application = system.start();

        assertThat(change(application, RoleChange.replace(role, List.of("leads.export", "leads.read"))))
                .isEqualTo(new RoleChanged(role, 1, false, 0, null));
        assertThat(change(application, RoleChange.add(role, "leads.read")).changed())
                .isFalse();
        assertThat(change(application, RoleChange.remove(role, "leads.write")).changed())
                .isFalse();

        assertThat(system.identity()
                        .sql()
                        .queryForObject("select version from identity.role_definitions where id = ?", Long.class, role))
                .isEqualTo(1);
        assertThat(system.topic().records(0)).isEmpty();
    }

    @Test
    @DisplayName("FAN-02 a role without users changes without an event")
    void noUsers() {
        var role = system.identity().role("agent", "leads.read");
        var application = system.start();

        assertThat(change(application, RoleChange.replace(role, List.of())))
                .isEqualTo(new RoleChanged(role, 2, true, 0, null));
        assertThat(permissions(role)).isEmpty();
    }

    @Test
    @DisplayName("FAN-02 unknown or archived role and malformed code: a clear error, and nothing has changed")
    void rejected() {
        var identity = system.identity();
        var archived = identity.role("old-role", "leads.read");
        identity.sql().update("update identity.role_definitions set status = 'Archived' where id = ?", archived);
        var application = system.start();
        var unknown = UUID.randomUUID();

        assertThatThrownBy(() -> change(application, RoleChange.add(unknown, "leads.read")))
                .isInstanceOf(CamelExecutionException.class)
                .rootCause()
                .isInstanceOf(RoleChangeRejectedException.class)
                .hasMessage("role " + unknown + " does not exist");
        assertThatThrownBy(() -> change(application, RoleChange.remove(archived, "leads.read")))
                .rootCause()
                .isInstanceOf(RoleChangeRejectedException.class)
                .hasMessageContaining("old-role")
                .hasMessageContaining("is archived");
        assertThatThrownBy(() -> RoleChange.replace(archived, List.of("leads.read", "no spaces")))
                .isInstanceOf(RoleChangeRejectedException.class)
                .hasMessageContaining("'no spaces'");
        assertThat(permissions(archived)).containsExactly("leads.read");
    }

    @Test
    @DisplayName("FAN-02 a failure in the last step takes permissions, version and task back with it")
    void rolledBack() {
        var identity = system.identity();
        var role = identity.role("agent", "leads.read");
        identity.usersOf(role, 2);
        identity.sql().execute("""
                        create function identity.refuse() returns trigger language plpgsql as
                            'begin raise exception ''no events today''; end';
                        create trigger refuse before insert on identity.outbox execute function identity.refuse();""");
        var application = system.start();

        assertThatThrownBy(() -> change(application, RoleChange.add(role, "leads.export")))
                .rootCause()
                .hasMessageContaining("no events today");

        assertThat(permissions(role)).containsExactly("leads.read");
        assertThat(identity.sql()
                        .queryForObject("select version from identity.role_definitions where id = ?", Long.class, role))
                .isEqualTo(1);
    }

    private static RoleChanged change(AccessApplication application, RoleChange change) {
        return application
                .camel()
                .createProducerTemplate()
                .requestBody("direct:set-role-permissions", change, RoleChanged.class);
    }

    private List<String> permissions(UUID role) {
        return system.identity()
                .sql()
                .queryForList(
                        "select permission_code from identity.role_permissions where role_id = ? order by 1",
                        String.class,
                        role);
    }
}
