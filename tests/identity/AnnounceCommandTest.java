package tests.identity;

import static org.assertj.core.api.Assertions.assertThat;
import static tests.support.AccessTopic.countByUser;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tests.support.TestSystem;

@DisplayName("The announce command")
class AnnounceCommandTest {

    @RegisterExtension
    final TestSystem system = new TestSystem();

    @Test
    @DisplayName("EVT-04 announce --user publishes present snapshots: RolePermissionsChanged, counted by assignments")
    void users() {
        var identity = system.identity();
        var users = identity.usersOf(identity.role("agent"), 3);
        var gone = UUID.randomUUID();
        system.start();

        var announced = system.run(
                "announce", "--user", users.get(0).toString(), users.get(1).toString(), gone.toString());

        assertThat(announced.exitCode()).as(announced.output()).isZero();
        assertThat(announced.output()).isEqualToIgnoringWhitespace("announced 3 users");
        var records = system.topic().records(3);
        assertThat(countByUser(records)).containsOnlyKeys(users.get(0), users.get(1), gone);
        assertThat(records).hasSize(3).allSatisfy(r -> {
            assertThat(r.event().reason()).isEqualTo("RolePermissionsChanged");
            assertThat(r.header("VersionSource")).isEqualTo("assignment");
            assertThat(r.event().assignmentIds()).hasSize(r.user().equals(gone) ? 0 : 1);
        });
    }

    @Test
    @DisplayName("EVT-04 announce --role tells everybody who holds the role or has held it, and nobody else")
    void role() {
        var identity = system.identity();
        var role = identity.role("agent");
        var users = new HashSet<>(identity.usersOf(role, 20));
        var former = identity.assign(identity.user(null), role);
        identity.sql().update("update identity.role_assignments set status = 'Revoked' where id = ?", former);
        users.add(identity.sql()
                .queryForObject("select user_id from identity.role_assignments where id = ?", UUID.class, former));
        identity.usersOf(identity.role("developer-manager"), 5);
        system.start();

        assertThat(system.run("announce", "--role", role.toString()).exitCode()).isZero();

        assertThat(countByUser(system.topic().records(21))).hasSize(21).containsOnlyKeys(users);
        var unknown = system.run("announce", "--role", UUID.randomUUID().toString());
        assertThat(unknown.exitCode()).isEqualTo(1);
        assertThat(unknown.output().lines()).singleElement().asString().contains("does not exist, or nobody");
    }

    @Test
    @DisplayName("EVT-07 announce --all tells everybody in pages, the deleted ones too, and goes on with --after")
    void all() {
        var identity = system.identity();
        var users = new ArrayList<>(identity.usersOf(identity.role("agent"), 2_500));
        users.add(identity.user(null));
        var deleted = users.get(0);
        system.start();
        identity.sql().update("delete from identity.role_assignments where user_id = ?", deleted);
        identity.sql().update("delete from identity.users where id = ?", deleted);
        var told = system.settled();

        var announced = system.run("announce", "--all");

        assertThat(announced.exitCode()).as(announced.output()).isZero();
        assertThat(announced.output()).contains("done: announced 2501 users");
        var records = system.settled();
        assertThat(records).hasSize(told.size() + 2_501);
        assertThat(countByUser(records)).hasSize(2_501);
        assertThat(records)
                .filteredOn(r -> r.user().equals(deleted))
                .allMatch(r -> r.event().assignmentIds().isEmpty());

        var pages = announced
                .output()
                .lines()
                .filter(line -> line.startsWith("announced "))
                .toList();
        assertThat(pages).hasSize(3);
        var second = pages.get(1).substring(pages.get(1).lastIndexOf(' ') + 1);
        var goneOn = system.run("announce", "--all", "--after", second);
        assertThat(goneOn.output()).contains("done: announced 501 users");
    }

    @Test
    @DisplayName("EVT-04 whom to announce must be said, and once")
    void arguments() {
        assertThat(system.run("announce").exitCode()).isEqualTo(2);
        assertThat(system.run("announce", "--all", "--role", UUID.randomUUID().toString())
                        .exitCode())
                .isEqualTo(2);
        var after = system.run(
                "announce",
                "--user",
                UUID.randomUUID().toString(),
                "--after",
                UUID.randomUUID().toString());
        assertThat(after.exitCode()).isEqualTo(2);
        assertThat(List.of(after.output().strip())).containsExactly("--after goes with --role and --all only");
    }
}
