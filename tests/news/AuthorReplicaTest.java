package tests.news;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;
import static tests.support.NewsSystem.text;

import java.sql.Timestamp;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tests.support.Metrics;
import tests.support.NewsSystem;
import tests.support.UserEvent;

@DisplayName("The author replica")
class AuthorReplicaTest {

    private static final UUID COMPANY = UUID.fromString("5d1f9f43-5d3b-4f3b-8e0e-0b1a2c3d4e5f");
    private static final Timestamp CREATED_AT =
            Timestamp.from(OffsetDateTime.parse("2026-03-01T07:20:30.123456Z").toInstant());

    @RegisterExtension
    final NewsSystem system = new NewsSystem();

    private final UUID user = UUID.randomUUID();

    @Test
    @DisplayName("REP-A1 a first-seen upsert makes the row, with every field of the event")
    void firstSeen() {
        var application = system.start();

        handle(UserEvent.upserted(user, 1));

        assertThat(system.row(user))
                .containsEntry("display_name", "Ivan Petrov")
                .containsEntry("type", "Agent")
                .containsEntry("company_id", COMPANY)
                .containsEntry("status", "Active")
                .containsEntry("avatar_file_id", null)
                .containsEntry("source_version", 1L)
                .containsEntry("synced_at", CREATED_AT);
        assertThat(Metrics.of(application).value("news_replica_upserted_total")).isEqualTo(1);
    }

    @Test
    @DisplayName("REP-A2 a stale event leaves the row alone, is counted and acknowledged")
    void stale() {
        var application = system.start();
        handle(UserEvent.upserted(user, 5));
        var before = system.row(user);

        handle(UserEvent.upserted(user, 4, "Older", "Name"), UserEvent.blocked(user, 5));

        assertThat(system.row(user)).isEqualTo(before);
        var metrics = Metrics.of(application);
        assertThat(metrics.value("news_replica_stale_total")).isEqualTo(2);
        assertThat(metrics.value("news_replica_skipped_total{reason=\"stale\"}"))
                .isEqualTo(2);
        assertThat(system.deadLetters()).isEmpty();
    }

    @Test
    @DisplayName("REP-A3 the same message delivered again is a duplicate, whatever it holds by then")
    void duplicate() {
        var application = system.start();
        var event = UserEvent.upserted(user, 1);
        handle(event);
        var before = system.row(user);

        handle(event);
        handle(UserEvent.upserted(user, 7, "Other", "Name").messageId(event.messageId()));
        handle(UserEvent.upserted(user, 8).messageId(event.messageId()).value("no JSON"));

        assertThat(system.row(user)).isEqualTo(before);
        assertThat(Metrics.of(application).value("news_replica_skipped_total{reason=\"duplicate\"}"))
                .isEqualTo(3);
        assertThat(system.deadLetters())
                .as("decided before the checks (REP-04)")
                .isEmpty();
        assertThat(system.sql().queryForList("select idempotency_key from news.processed_messages", String.class))
                .containsExactly("news-identity-users:pin.identity.user-upserted:" + event.messageId());
    }

    @Test
    @DisplayName("REP-A4 a block changes the status, the version and SyncedAt, and nothing else")
    void block() {
        var application = system.start();
        handle(UserEvent.upserted(user, 1));
        system.sql().update("update news.author_replicas set avatar_file_id = ?", COMPANY);
        var before = system.row(user);

        handle(UserEvent.blocked(user, 2).createdAt(OffsetDateTime.parse("2026-04-01T00:00:00.000001Z")));

        var after = system.row(user);
        assertThat(after)
                .containsEntry("status", "Blocked")
                .containsEntry("source_version", 2L)
                .containsEntry(
                        "synced_at",
                        Timestamp.from(OffsetDateTime.parse("2026-04-01T00:00:00.000001Z")
                                .toInstant()));
        for (var column : List.of("display_name", "type", "company_id", "avatar_file_id")) {
            assertThat(after).containsEntry(column, before.get(column));
        }
        assertThat((Timestamp) after.get("updated_at")).isAfter((Timestamp) before.get("updated_at"));
        assertThat(Metrics.of(application).value("news_replica_blocked_total")).isEqualTo(1);
    }

    @Test
    @DisplayName("REP-A5 a block without a row is acknowledged, makes no row and leaves no mark")
    void blockWithoutRow() {
        var application = system.start();
        var block = UserEvent.blocked(user, 2);

        handle(block);

        assertThat(system.rows()).isZero();
        assertThat(system.marks()).isZero();
        assertThat(system.deadLetters()).isEmpty();
        assertThat(Metrics.of(application).value("news_replica_skipped_total{reason=\"missing\"}"))
                .isEqualTo(1);

        handle(UserEvent.upserted(user, 1), block);
        assertThat(system.row(user)).as("delivered again, with a row").containsEntry("status", "Blocked");
    }

    @DisplayName("REP-A6 unknown enum values: AgencyManager and Blocked, counted")
    @ParameterizedTest(name = "REP-A6 Type {0} and Status {1} become {2} and {3}; values without a mapping are counted")
    @CsvSource({
        "Investor, Invited, Investor, Active, 0, 0",
        "DeveloperManager, Active, DeveloperManager, Active, 0, 0",
        "Agent, Blocked, Agent, Blocked, 0, 0",
        "PinEmployee, Archived, PinEmployee, Archived, 0, 0",
        "PartnerManager, Active, AgencyManager, Active, 1, 0",
        "AgencyManager, Active, AgencyManager, Active, 1, 0",
        "agent, active, AgencyManager, Blocked, 1, 1",
        "Robot, Frozen, AgencyManager, Blocked, 1, 1"
    })
    void enums(String type, String status, String authorType, String authorStatus, int types, int statuses) {
        var application = system.start();

        handle(UserEvent.upserted(user, 1, "Ivan", "Petrov", type, status));

        assertThat(system.row(user)).containsEntry("type", authorType).containsEntry("status", authorStatus);
        var metrics = Metrics.of(application);
        assertThat(metrics.value("news_replica_unknown_enum_total{field=\"Type\"}"))
                .isEqualTo(types);
        assertThat(metrics.value("news_replica_unknown_enum_total{field=\"Status\"}"))
                .isEqualTo(statuses);
        assertThat(system.deadLetters()).isEmpty();
    }

    @Test
    @DisplayName("REP-A7 a record without a required field is a dead letter at once, and the next record is applied")
    void contractViolation() {
        var application = system.start();

        handle(UserEvent.upserted(user, 1, "", "Petrov"), UserEvent.upserted(user, 2));

        assertThat(system.row(user)).containsEntry("source_version", 2L);
        assertThat(system.deadLetters())
                .singleElement()
                .satisfies(
                        letter -> assertThat(text(letter, "DeadLetterCode")).isEqualTo("NEWS_REPLICA_INVALID_PAYLOAD"));
        assertThat(Metrics.of(application).value("news_replica_dlq_total")).isEqualTo(1);
        assertThat(system.marks()).isEqualTo(1);
    }

    @Test
    @DisplayName("REP-A8 a replay of the whole topic from earliest ends in the same rows, with marks and without")
    void fullReplay() {
        var users = new ArrayList<UUID>();
        for (int i = 0; i < 200; i++) {
            users.add(UUID.randomUUID());
        }
        var events = new ArrayList<UserEvent>();
        for (int version = 1; version <= 6; version++) {
            for (var one : users) {
                events.add(
                        version == 4 && one.hashCode() % 3 == 0
                                ? UserEvent.blocked(one, version)
                                : UserEvent.upserted(one, version, "First" + version, "Last"));
            }
        }
        events.add(UserEvent.upserted(user, 1, "Early", "Bird"));
        events.add(UserEvent.blocked(UUID.randomUUID(), 3));
        system.send(events);
        var first = system.start();
        system.awaitHandled();
        var rows = rowsButUpdatedAt();
        assertThat(rows).hasSize(201);
        first.close();

        var second = system.start("news.replica.group", system.group() + "-again");
        awaitConsumed(second, events.size());
        assertThat(rowsButUpdatedAt()).as("with marks").isEqualTo(rows);
        assertThat(Metrics.of(second).value("news_replica_upserted_total")).isZero();
        second.close();

        system.sql().update("truncate news.author_replicas");
        assertThat(system.marks()).as("marks go with the rows they speak of").isZero();
        var third = system.start("news.replica.group", system.group() + "-empty");
        awaitConsumed(third, events.size());
        assertThat(rowsButUpdatedAt()).as("into an emptied table").isEqualTo(rows);
    }

    @Test
    @DisplayName("REP-04 a table that is emptied by DELETE forgets its marks; one that keeps a row keeps them")
    void emptied() {
        system.start();
        var other = UUID.randomUUID();
        handle(UserEvent.upserted(user, 1), UserEvent.upserted(other, 1));

        system.sql().update("delete from news.author_replicas where id = ?", user);
        assertThat(system.marks()).isEqualTo(2);
        system.sql().update("delete from news.author_replicas");
        assertThat(system.marks()).isZero();
    }

    @Test
    @DisplayName("REP-01 an event of another type is acknowledged and counted, whatever it holds")
    void otherType() {
        var application = system.start();

        handle(
                UserEvent.upserted(user, 1).header("EventType", "pin.identity.user-renamed"),
                UserEvent.upserted(user, 1)
                        .header("EventType", "pin.identity.user-renamed")
                        .withoutHeader("MessageId")
                        .value((byte[]) null));

        assertThat(system.rows()).isZero();
        assertThat(system.marks()).isZero();
        assertThat(system.deadLetters()).isEmpty();
        assertThat(Metrics.of(application).value("news_replica_skipped_total{reason=\"unknown-type\"}"))
                .isEqualTo(2);
    }

    @Test
    @DisplayName("REP-01 a new group begins with the earliest record")
    void earliest() {
        system.send(UserEvent.upserted(user, 1));

        system.start();
        system.awaitHandled();

        assertThat(system.row(user)).containsEntry("source_version", 1L);
    }

    @Test
    @DisplayName("REP-02 phone, e-mail and fields nobody knows are stored nowhere")
    void noPersonalData() {
        system.start();

        handle(UserEvent.upserted(user, 1).replacing("\"RegisteredVia\"", "\"Passport\":{\"No\":1},\"RegisteredVia\""));

        assertThat(system.sql().queryForObject("select a::text from news.author_replicas a", String.class))
                .doesNotContain("7999", "example.org");
    }

    @ParameterizedTest(name = "REP-03 ContractVersion {0} is applied, with a warning")
    @CsvSource({"2", "''", "one"})
    void otherContract(String version) {
        var application = system.start();

        handle(UserEvent.upserted(user, 1).header("ContractVersion", version));
        handle(UserEvent.upserted(user, 2).withoutHeader("ContractVersion"));

        assertThat(system.row(user)).containsEntry("source_version", 2L);
        assertThat(Metrics.of(application).value("news_replica_other_contract_total"))
                .isEqualTo(2);
    }

    @Test
    @DisplayName("cases 31: several events of a user in one poll, in and out of order, end as one at a time would")
    void foldedInOnePoll() {
        system.send(
                UserEvent.blocked(user, 1),
                UserEvent.upserted(user, 2, "Second", "Name"),
                UserEvent.upserted(user, 5, "Fifth", "Name"),
                UserEvent.upserted(user, 3, "Third", "Name"),
                UserEvent.blocked(user, 6),
                UserEvent.blocked(user, 4));
        var application = system.start();
        system.awaitHandled();

        assertThat(system.row(user))
                .containsEntry("display_name", "Fifth Name")
                .containsEntry("status", "Blocked")
                .containsEntry("source_version", 6L);
        var metrics = Metrics.of(application);
        assertThat(metrics.value("news_replica_upserted_total")).isEqualTo(2);
        assertThat(metrics.value("news_replica_blocked_total")).isEqualTo(1);
        assertThat(metrics.value("news_replica_stale_total")).isEqualTo(2);
        assertThat(metrics.value("news_replica_skipped_total{reason=\"missing\"}"))
                .isEqualTo(1);
        assertThat(system.marks()).isEqualTo(5);
    }

    @Test
    @DisplayName("REP-23 a later upsert writes every field, CompanyId back to null too, and the status over a block")
    void laterUpsert() {
        system.start();
        handle(UserEvent.upserted(user, 1), UserEvent.blocked(user, 2));

        handle(UserEvent.upserted(user, 3, "New", "Name", "Investor", "Archived")
                .replacing("\"" + COMPANY + "\"", "null"));

        assertThat(system.row(user))
                .containsEntry("display_name", "New Name")
                .containsEntry("type", "Investor")
                .containsEntry("company_id", null)
                .containsEntry("status", "Archived")
                .containsEntry("source_version", 3L);
    }

    @Test
    @DisplayName("REP-22 nothing is published but dead letters: no topic but the two has a record")
    void publishesNothing() {
        var before = system.ends();
        system.start();
        handle(
                UserEvent.upserted(user, 1),
                UserEvent.blocked(user, 2),
                UserEvent.upserted(user, 3).value("no JSON"));
        assertThat(system.deadLetters()).hasSize(1);

        var grown = system.ends();
        grown.entrySet().removeIf(topic -> topic.getValue().equals(before.getOrDefault(topic.getKey(), 0L)));
        assertThat(grown).containsOnly(entry(system.topic(), 3L), entry(system.deadLetterTopic(), 1L));
    }

    private void handle(UserEvent... events) {
        system.send(events);
        system.awaitHandled();
    }

    private static void awaitConsumed(app.AccessApplication application, int records) {
        org.awaitility.Awaitility.await()
                .until(() -> Metrics.of(application).value("news_replica_consume_duration_ms_count") >= records);
    }

    private Map<UUID, String> rowsButUpdatedAt() {
        var rows = new HashMap<UUID, String>();
        system.sql().query("select id, (to_jsonb(a) - 'updated_at')::text from news.author_replicas a", row -> {
            rows.put(row.getObject(1, UUID.class), row.getString(2));
        });
        return rows;
    }
}
