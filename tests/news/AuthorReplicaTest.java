package tests.news;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Timestamp;
import java.time.OffsetDateTime;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tests.support.NewsSystem;
import tests.support.UserEvent;

@DisplayName("The author replica")
class AuthorReplicaTest {

    private static final UUID COMPANY = UUID.fromString("5d1f9f43-5d3b-4f3b-8e0e-0b1a2c3d4e5f");

    @RegisterExtension
    final NewsSystem system = new NewsSystem();

    private final UUID user = UUID.randomUUID();

    @Test
    @DisplayName("REP-A1 a first-seen upsert makes the row, with every field of the event")
    void firstSeen() {
        var application = system.start();

        system.send(UserEvent.upserted(user, 1));
        system.awaitHandled();

        assertThat(system.row(user))
                .containsEntry("display_name", "Ivan Petrov")
                .containsEntry("type", "Agent")
                .containsEntry("company_id", COMPANY)
                .containsEntry("status", "Active")
                .containsEntry("avatar_file_id", null)
                .containsEntry("source_version", 1L)
                .containsEntry(
                        "synced_at",
                        Timestamp.from(OffsetDateTime.parse("2026-03-01T07:20:30.123456Z")
                                .toInstant()));
        assertThat(Metrics.of(application).value("news_replica_upserted_total")).isEqualTo(1);
    }
}
