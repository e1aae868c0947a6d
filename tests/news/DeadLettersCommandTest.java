package tests.news;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tests.support.Command;
import tests.support.NewsSystem;
import tests.support.UserEvent;

@DisplayName("dead-letters")
class DeadLettersCommandTest {

    @RegisterExtension
    final NewsSystem system = new NewsSystem();

    @Test
    @DisplayName(
            "REP-16 list shows what waits, without keys and values, and replay applies what can be applied by then")
    void listAndReplay() {
        system.sql()
                .execute("alter table news.author_replicas add constraint c check (display_name not like 'Marked%')");
        var user = UUID.randomUUID();
        var application = system.start();
        system.send(
                UserEvent.upserted(user, 1, "Marked", "Name"),
                UserEvent.upserted(UUID.randomUUID(), 1).value("{\"PhoneNumber\":\"+79995550000\""));
        system.awaitHandled();
        application.close();

        var listed = system.run("dead-letters", "list");
        assertThat(listed.exitCode()).as(listed.output()).isZero();
        assertThat(listed.output().lines()).hasSize(3);
        assertThat(listed.output())
                .contains("NEWS_REPLICA_MAPPING_FAILED", "NEWS_REPLICA_INVALID_PAYLOAD", system.topic())
                .doesNotContain("Marked", "7999", user.toString());

        system.sql().execute("alter table news.author_replicas drop constraint c");
        // As a process: of its log, it must show nothing.
        var replayed = Command.runAsProcess(system.settings(), "dead-letters", "replay", "--of", "news");
        assertThat(replayed.exitCode())
                .as("one of the two is as broken as before")
                .isEqualTo(1);
        assertThat(replayed.output().lines())
                .satisfiesExactlyInAnyOrder(
                        line -> assertThat(line)
                                .startsWith("failed again: " + system.topic())
                                .contains("NEWS_REPLICA_INVALID_PAYLOAD"),
                        line -> assertThat(line).isEqualTo("replayed 2 dead letters"),
                        line -> assertThat(line).isEqualTo("1 of them failed again"));
        assertThat(system.row(user)).containsEntry("display_name", "Marked Name");
        assertThat(system.deadLetters())
                .as("the broken one has come back, once")
                .hasSize(3);
        assertThat(system.committed().values().stream()
                        .mapToLong(Long::longValue)
                        .sum())
                .as("nothing was written to the source topic")
                .isEqualTo(2);
        assertThat(system.run("dead-letters", "list").output().lines())
                .as("the one that came back waits, about the same source record")
                .hasSize(2);

        var again = system.run("dead-letters", "replay");
        assertThat(again.output()).contains("replayed 1 dead letters");
        assertThat(system.row(user)).containsEntry("source_version", 1L);
    }

    @Test
    @DisplayName("REP-16 replay --id handles one letter, any number of times, with one effect")
    void replayOne() {
        system.sql().execute("alter table news.author_replicas add constraint c check (display_name <> 'Odd Name')");
        var user = UUID.randomUUID();
        var other = UUID.randomUUID();
        var application = system.start();
        system.send(UserEvent.upserted(user, 1, "Odd", "Name"), UserEvent.upserted(other, 1, "Odd", "Name"));
        system.awaitHandled();
        application.close();
        system.sql().execute("alter table news.author_replicas drop constraint c");
        var letter = system.deadLetters().stream()
                .filter(record -> new String(record.key()).equals(user.toString()))
                .findFirst()
                .orElseThrow();
        var id = letter.partition() + "-" + letter.offset();

        for (int i = 0; i < 2; i++) {
            var replayed = system.run("dead-letters", "replay", "--id", id);
            assertThat(replayed.exitCode()).as(replayed.output()).isZero();
            assertThat(system.rows()).isEqualTo(1);
            assertThat(system.marks()).isEqualTo(1);
        }
        assertThat(system.deadLetters()).hasSize(2);

        var unknown = system.run("dead-letters", "replay", "--id", "0-99999");
        assertThat(unknown.exitCode()).isEqualTo(1);
        assertThat(unknown.output().lines()).containsExactly("dead letter 0-99999 does not exist");
        var whose = system.run("dead-letters", "list", "--of", "everybody");
        assertThat(whose.exitCode()).isEqualTo(2);
        assertThat(whose.output().lines()).singleElement().asString().contains("everybody");
    }
}
