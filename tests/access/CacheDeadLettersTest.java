package tests.access;

import static org.assertj.core.api.Assertions.assertThat;
import static tests.support.AccessChange.ofAssignments;
import static tests.support.AccessChange.ofRole;

import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tests.support.AccessChange.Assignment;
import tests.support.CacheSystem;

@DisplayName("dead-letters --of access-cache")
class CacheDeadLettersTest {

    @RegisterExtension
    final CacheSystem system = new CacheSystem();

    private final Assignment agent = Assignment.of(UUID.randomUUID(), "agent");
    private final Assignment manager = Assignment.of(UUID.randomUUID(), "manager");

    @Test
    @DisplayName(
            "REP-16 list shows what waits; a replayed letter never makes a user Fresh, for what came after it is applied already")
    void replay() {
        system.sql()
                .execute(
                        "alter table access_cache.user_access add constraint c check (assignments::text not like '%manager%')");
        var overtaken = UUID.randomUUID();
        var repaired = UUID.randomUUID();
        var waiting = UUID.randomUUID();
        var application = system.start();
        system.send(
                ofAssignments(overtaken, 1, manager),
                ofRole(repaired, manager.role(), 1, manager),
                ofAssignments(waiting, 1, manager),
                ofAssignments(UUID.randomUUID(), 1).value("broken"));
        system.awaitHandled();
        system.send(ofAssignments(overtaken, 2, agent), ofAssignments(repaired, 1, agent));
        system.awaitHandled();
        application.close();
        assertThat(system.roleCodes(overtaken)).isEqualTo("agent");
        assertThat(system.roleCodes(repaired)).isEqualTo("agent");
        assertThat(system.roleCodes(waiting)).isNull();

        var listed = system.run("dead-letters", "list", "--of", "access-cache");
        assertThat(listed.exitCode()).as(listed.output()).isZero();
        assertThat(listed.output().lines()).hasSize(5);
        assertThat(listed.output())
                .contains("ACCESS_CACHE_STORE_REFUSED", "ACCESS_CACHE_INVALID_PAYLOAD")
                .doesNotContain("manager", waiting.toString());

        system.sql().execute("alter table access_cache.user_access drop constraint c");
        var replayed = system.run("dead-letters", "replay", "--of", "access-cache");

        assertThat(replayed.exitCode()).as(replayed.output()).isEqualTo(1);
        assertThat(replayed.output()).contains("replayed 4 dead letters", "1 of them failed again");
        assertThat(system.roleCodes(overtaken))
                .as("a newer event of its source was applied")
                .isEqualTo("agent");
        assertThat(system.state(repaired)).as("nobody can tell which is newer").isEqualTo("Invalidated");
        assertThat(system.state(waiting)).isEqualTo("Invalidated");
    }

    @Test
    @DisplayName("REP-16 letters of a consumer that nobody knows: one line, and no success")
    void unknownConsumer() {
        var refused = system.run("dead-letters", "list", "--of", "gateway");

        assertThat(refused.exitCode()).isNotZero();
        assertThat(refused.output().lines()).singleElement().asString().contains("--of 'gateway' is not allowed");
    }
}
