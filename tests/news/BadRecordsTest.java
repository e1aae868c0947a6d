package tests.news;

import static org.assertj.core.api.Assertions.assertThat;
import static tests.support.NewsSystem.text;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.stream.Stream;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.header.Header;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import tests.support.NewsSystem;
import tests.support.ProductionLog;
import tests.support.UserEvent;

/** What docs/faults.md says of records that arrive (cases.md 28 … 34, 36). */
@DisplayName("A bad record")
class BadRecordsTest {

    private static final String INVALID = "NEWS_REPLICA_INVALID_PAYLOAD";
    private static final String UNMAPPED = "NEWS_REPLICA_MAPPING_FAILED";

    @RegisterExtension
    final NewsSystem system = new NewsSystem();

    @TestFactory
    Stream<DynamicTest> rejected() {
        var cases = rejectedRecords().toList();
        var goodOnes = new ArrayList<UUID>();
        cases.forEach(one -> {
            // Between two good ones, in one partition: what is bad must not cost its neighbours.
            goodOnes.add(UUID.randomUUID());
            system.send(List.of(UserEvent.upserted(goodOnes.get(goodOnes.size() - 1), 1), event(one)), 1);
        });
        system.start();
        system.awaitHandled();
        var letters = new HashMap<Long, ConsumerRecord<byte[], byte[]>>();
        system.deadLetters().forEach(letter -> letters.put(Long.parseLong(text(letter, "DeadLetterOffset")), letter));

        var tests = new ArrayList<DynamicTest>();
        tests.add(DynamicTest.dynamicTest("cases 28: every good record between bad ones is applied", () -> {
            assertThat(system.sql().queryForList("select id from news.author_replicas", UUID.class))
                    .containsExactlyInAnyOrderElementsOf(goodOnes);
            assertThat(system.marks()).isEqualTo(goodOnes.size());
            assertThat(system.deadLetters()).hasSize(cases.size());
        }));
        for (int i = 0; i < cases.size(); i++) {
            var one = cases.get(i);
            var letter = letters.get(2L * i + 1);
            tests.add(DynamicTest.dynamicTest(
                    "cases 29, 30, 33: " + one.get()[0] + " is dead-lettered as " + one.get()[1], () -> {
                        assertThat(letter).isNotNull();
                        assertThat(text(letter, "DeadLetterCode")).isEqualTo(one.get()[1]);
                        assertThat(letter.value()).isEqualTo(event(one).value());
                    }));
        }
        return tests.stream();
    }

    private static UserEvent event(Arguments arguments) {
        return (UserEvent) arguments.get()[2];
    }

    private static Stream<Arguments> rejectedRecords() {
        var user = UUID.fromString("0c5c0d34-5f5c-4e6b-9a54-2f6f0f7d9c11");
        var random = new byte[200];
        new Random(7).nextBytes(random);
        return Stream.of(
                Arguments.of("a tombstone", INVALID, upsert().value((byte[]) null)),
                Arguments.of("an empty value", INVALID, upsert().value(new byte[0])),
                Arguments.of("a value of random bytes", INVALID, upsert().value(random)),
                Arguments.of("truncated JSON", INVALID, upsert().value("{\"UserId\":\"" + user)),
                Arguments.of("a JSON array", INVALID, upsert().value("[1]")),
                Arguments.of("the JSON null", INVALID, upsert().value("null")),
                Arguments.of("two JSON objects", INVALID, upsert().value("{}{}")),
                Arguments.of("JSON nested 5,000 deep", INVALID, upsert().value("{\"a\":".repeat(5_000))),
                Arguments.of(
                        "a value that is not UTF-8",
                        INVALID,
                        upsert().value("{\"UserId\":\"\u00e4\"}".getBytes(StandardCharsets.ISO_8859_1))),
                Arguments.of(
                        "a number of 2,000 digits",
                        INVALID,
                        changed("\"Version\":1", "\"Version\":" + "9".repeat(2_000))),
                Arguments.of("no UserId", INVALID, changed("\"UserId\"", "\"User\"")),
                Arguments.of("the empty UserId", INVALID, upsert(new UUID(0, 0))),
                Arguments.of("a malformed UserId", INVALID, changed("{\"UserId\":\"", "{\"UserId\":\"x")),
                Arguments.of("no Name", INVALID, changed("\"Name\"", "\"Nome\"")),
                Arguments.of("no FirstName", INVALID, changed("\"FirstName\"", "\"First\"")),
                Arguments.of("a null FirstName", INVALID, changed("\"FirstName\":\"Ivan\"", "\"FirstName\":null")),
                Arguments.of("a blank FirstName", INVALID, changed("Ivan\"", " \u00a0\u2003\"")),
                Arguments.of("no Type", INVALID, changed("\"Type\"", "\"Kind\"")),
                Arguments.of("an empty Status", INVALID, changed("\"Active\"", "\"\"")),
                Arguments.of("Version 0", INVALID, changed("\"Version\":1", "\"Version\":0")),
                Arguments.of("a Version in quotes", INVALID, changed("\"Version\":1", "\"Version\":\"1\"")),
                Arguments.of("a Version with a fraction", INVALID, changed("\"Version\":1", "\"Version\":1.5")),
                Arguments.of(
                        "a Version beyond 64 bits",
                        INVALID,
                        changed("\"Version\":1", "\"Version\":9223372036854775808")),
                Arguments.of("a malformed CompanyId", INVALID, changed("5d1f9f43-", "5d1f9f4-")),
                Arguments.of(
                        "a block without Version",
                        INVALID,
                        UserEvent.blocked(user, 1).replacing("Version", "V")),
                Arguments.of("NUL in a name", INVALID, changed("Ivan\"", "Iv\\u0000an\"")),
                Arguments.of("half a character in a name", INVALID, changed("Petrov", "Pet\\ud83drov")),
                Arguments.of("a Name that is a string", UNMAPPED, named("\"Ivan Petrov\"")),
                Arguments.of("a Name that is a list", UNMAPPED, named("[\"Ivan\"]")),
                Arguments.of("a FirstName that is a number", UNMAPPED, changed("\"Ivan\"", "5")),
                Arguments.of("a LastName that is an object", UNMAPPED, changed("\"Petrov\"", "{}")),
                Arguments.of("a Type that is a number", UNMAPPED, changed("\"Agent\"", "3")),
                Arguments.of("a Status that is a boolean", UNMAPPED, changed("\"Active\"", "true")),
                Arguments.of("no MessageId", INVALID, upsert().withoutHeader("MessageId")),
                Arguments.of("an empty MessageId", INVALID, upsert().header("MessageId", "")),
                Arguments.of("a null MessageId", INVALID, upsert().header("MessageId", (byte[]) null)),
                Arguments.of("a MessageId that is no UUID", INVALID, upsert().header("MessageId", "1-2-3-4-5")),
                Arguments.of("no EventType", INVALID, upsert().withoutHeader("EventType")),
                Arguments.of("an EventType that is not UTF-8", INVALID, upsert().header("EventType", new byte[] {
                    (byte) 0xff, (byte) 0xfe
                })),
                Arguments.of("no CreatedAt", INVALID, upsert().withoutHeader("CreatedAt")),
                Arguments.of(
                        "a CreatedAt without offset", INVALID, upsert().header("CreatedAt", "2026-03-01T10:20:30")),
                Arguments.of(
                        "a CreatedAt in the year 300000",
                        INVALID,
                        upsert().header("CreatedAt", "+300000-01-01T00:00:00Z")),
                Arguments.of(
                        "a last MessageId that is wrong, behind a right one",
                        INVALID,
                        upsert().moreHeader("MessageId", "x".getBytes(StandardCharsets.UTF_8))));
    }

    @TestFactory
    Stream<DynamicTest> applied() {
        var cases = appliedRecords().toList();
        for (var one : cases) {
            system.send(List.of(event(one)), 1);
        }
        List<String> warnings;
        try (var log = new ProductionLog()) {
            system.start();
            system.awaitHandled();
            warnings = log.warnings();
        }
        var names = system.sql().queryForList("select display_name from news.author_replicas", String.class);

        var tests = new ArrayList<DynamicTest>();
        tests.add(DynamicTest.dynamicTest("cases 29, 33: what can be applied is no dead letter", () -> {
            assertThat(system.deadLetters()).isEmpty();
            assertThat(names).hasSize(cases.size());
        }));
        tests.add(DynamicTest.dynamicTest(
                "REP-08 a name that was cut is told of, without the name",
                () -> assertThat(warnings)
                        .filteredOn(line -> line.contains("DisplayName was cut"))
                        .hasSize(2)
                        .noneMatch(line -> line.contains("xx"))));
        for (var one : cases) {
            tests.add(DynamicTest.dynamicTest(
                    "cases 29, 33: " + one.get()[0] + " is applied",
                    () -> assertThat(names).contains((String) one.get()[1])));
        }
        return tests.stream();
    }

    private static Stream<Arguments> appliedRecords() {
        var emoji = "\uD83D\uDE00";
        return Stream.of(
                Arguments.of("a record without key", "Ivan Petrov", upsert().key(null)),
                Arguments.of("a LastName that is null", "Ivan", changed("\"Petrov\"", "null")),
                Arguments.of("a LastName that is missing", "Ivan", changed("\"LastName\":\"Petrov\",", "")),
                Arguments.of("a LastName that is blank", "Ivan", changed("Petrov", "  ")),
                Arguments.of("a name between spaces", "Ivan  Petrov", changed("\"Ivan\"", "\"  Ivan \"")),
                Arguments.of("a name of emoji and combining marks", emoji + " e\u0301", names(emoji, "e\u0301")),
                Arguments.of(
                        "a name from right to left",
                        "\u05d3\u05d5\u05d3 \u05db\u05d4\u05df",
                        names("\u05d3\u05d5\u05d3", "\u05db\u05d4\u05df")),
                Arguments.of("a name of 385 characters", "x".repeat(384), names("x".repeat(385), "y")),
                Arguments.of("a name of 400 emoji", emoji.repeat(384), names(emoji.repeat(400), "y")),
                Arguments.of("a name of 384 characters", "x".repeat(382) + " y", names("x".repeat(382), "y")),
                Arguments.of(
                        "a field that nobody knows",
                        "Ivan Petrov",
                        changed("\"Email\"", "\"Hobby\":{\"a\":[1]},\"Email\"")),
                Arguments.of(
                        "a UserId in capitals",
                        "Ivan Petrov",
                        changed("{\"UserId\":\"", "{\"UserId\":\"5D1F9F43-5D3B-4F3B-8E0E-0B1A2C3D4E5F\",\"Was\":\"")),
                Arguments.of(
                        "optional fields that are missing",
                        "Ivan Petrov",
                        upsert().value("{\"UserId\":\"" + UUID.randomUUID()
                                + "\",\"Name\":{\"FirstName\":\"Ivan\",\"LastName\":\"Petrov\"},"
                                + "\"Type\":\"Agent\",\"Status\":\"Active\",\"Version\":9223372036854775807}")));
    }

    @ParameterizedTest(name = "cases 34: CreatedAt {0} is SyncedAt {1}, microseconds kept")
    @MethodSource("times")
    void times(String createdAt, String syncedAt) {
        system.start();

        system.send(upsert().header("CreatedAt", createdAt));
        system.awaitHandled();

        assertThat(system.sql()
                        .queryForObject(
                                "select to_char(synced_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US') from news.author_replicas",
                                String.class))
                .isEqualTo(syncedAt);
    }

    static Stream<Arguments> times() {
        return Stream.of(
                Arguments.of("2026-03-01T00:00:00.000001+05:30", "2026-02-28 18:30:00.000001"),
                Arguments.of("2026-10-25T02:30:00.1234567+00:00", "2026-10-25 02:30:00.123456"),
                Arguments.of("1969-12-31T23:59:59.999999-11:00", "1970-01-01 10:59:59.999999"),
                Arguments.of("2026-03-01T10:00Z", "2026-03-01 10:00:00.000000"));
    }

    @ParameterizedTest(
            name = "cases 28: one among 500, at place {0}, found by our checks: 499 applied, one dead letter")
    @ValueSource(ints = {0, 250, 499})
    void oneAmongMany(int place) {
        oneAmong500(place, "Ivan\\u0000");
    }

    @ParameterizedTest(
            name = "cases 28: one among 500, at place {0}, found only by the database: 499 applied, one dead letter")
    @ValueSource(ints = {0, 250, 499})
    void oneAmongManyRefused(int place) {
        system.sql().execute("alter table news.author_replicas add check (display_name not like 'Refused%')");
        oneAmong500(place, "Refused");
        assertThat(text(system.deadLetters().get(0), "DeadLetterReason")).contains("23514");
    }

    @Test
    @DisplayName("cases 28: one among 500 that a trigger refuses, which names no row: 499 applied, one dead letter")
    void oneAmongManyWithoutHint() {
        system.sql().execute("""
                create function news.refuse() returns trigger language plpgsql as $$
                begin
                    if new.display_name like 'Refused%' then
                        raise exception using errcode = '22000';
                    end if;
                    return new;
                end $$""");
        system.sql()
                .execute(
                        "create trigger t before insert on news.author_replicas for each row execute function news.refuse()");
        oneAmong500(251, "Refused");
    }

    private void oneAmong500(int place, String firstName) {
        var events = new ArrayList<UserEvent>();
        for (int i = 0; i < 500; i++) {
            events.add(UserEvent.upserted(UUID.randomUUID(), 1, i == place ? firstName : "Ivan", "Petrov"));
        }
        system.send(events, 0);

        system.start();
        system.awaitHandled();

        assertThat(system.rows()).isEqualTo(499);
        assertThat(system.marks()).isEqualTo(499);
        assertThat(system.deadLetters())
                .singleElement()
                .satisfies(
                        letter -> assertThat(text(letter, "DeadLetterOffset")).isEqualTo(Integer.toString(place)));
    }

    @Test
    @DisplayName(
            "cases 28: of one user's events in one poll, the database refuses the middle one: the others are applied")
    void refusedInTheMiddle() {
        system.sql().execute("alter table news.author_replicas add check (display_name not like 'Refused%')");
        var user = UUID.randomUUID();
        system.send(
                UserEvent.upserted(user, 1),
                UserEvent.upserted(user, 2, "Refused", "Name"),
                UserEvent.blocked(user, 3));

        system.start();
        system.awaitHandled();

        assertThat(system.row(user))
                .containsEntry("display_name", "Ivan Petrov")
                .containsEntry("status", "Blocked")
                .containsEntry("source_version", 3L);
        assertThat(system.deadLetters()).hasSize(1);
    }

    @Test
    @DisplayName("REP-16 a dead letter is its source header for header and byte for byte, and what is added (cases 36)")
    void deadLetter() {
        var event = upsert().value(new byte[] {0, 1, (byte) 0xff})
                .moreHeader("Twice", "a".getBytes(StandardCharsets.UTF_8))
                .moreHeader("Twice", "b".getBytes(StandardCharsets.UTF_8))
                .moreHeader("Null", null)
                .moreHeader("Bytes", new byte[] {(byte) 0xc3, 0x28})
                .moreHeader("DeadLetterCode", "mine".getBytes(StandardCharsets.UTF_8))
                .key(new byte[] {9, 8, 7});
        system.send(List.of(UserEvent.upserted(UUID.randomUUID(), 1), event), 2);

        system.start();
        system.awaitHandled();

        assertThat(system.deadLetters()).singleElement().satisfies(letter -> {
            assertThat(letter.key()).containsExactly(9, 8, 7);
            assertThat(letter.value()).containsExactly(0, 1, 0xff);
            var headers = letter.headers().toArray();
            int own = event.headers().size();
            assertThat(headers).hasSize(own + 6);
            assertThat(List.of(headers).subList(0, own).stream().map(BadRecordsTest::shown))
                    .containsExactlyElementsOf(
                            event.headers().stream().map(BadRecordsTest::shown).toList());
            var added = List.of(headers).subList(own, own + 6);
            assertThat(added.stream().map(Header::key))
                    .containsExactlyInAnyOrder(
                            "DeadLetterCode",
                            "DeadLetterReason",
                            "DeadLetterTopic",
                            "DeadLetterPartition",
                            "DeadLetterOffset",
                            "DeadLetterAt");
            assertThat(text(letter, "DeadLetterTopic")).isEqualTo(system.topic());
            assertThat(text(letter, "DeadLetterPartition")).isEqualTo("2");
            assertThat(text(letter, "DeadLetterOffset")).isEqualTo("1");
            assertThat(java.time.OffsetDateTime.parse(text(letter, "DeadLetterAt")))
                    .isNotNull();
        });
    }

    @Test
    @DisplayName(
            "REP-16 the largest record fits with its explanation; one too large for the dead-letter topic leaves a note")
    void tooLarge() throws Exception {
        var noise = new byte[1_048_000 - 700]; // with its headers nearly what a topic takes by default
        new Random(3).nextBytes(noise);
        var fits = upsert().value(noise);
        system.send(List.of(fits), 0);
        try (var admin = system.admin()) {
            var resource = new org.apache.kafka.common.config.ConfigResource(
                    org.apache.kafka.common.config.ConfigResource.Type.TOPIC, system.topic());
            admin.incrementalAlterConfigs(Map.of(
                            resource,
                            List.of(new org.apache.kafka.clients.admin.AlterConfigOp(
                                    new org.apache.kafka.clients.admin.ConfigEntry("max.message.bytes", "5000000"),
                                    org.apache.kafka.clients.admin.AlterConfigOp.OpType.SET))))
                    .all()
                    .get();
        }
        var huge = new byte[3_000_000];
        new Random(4).nextBytes(huge);
        var after = UUID.randomUUID();
        org.awaitility.Awaitility.await().ignoreExceptions().until(() -> {
            system.send(List.of(upsert().value(huge), UserEvent.upserted(after, 1)), 0);
            return true;
        });

        system.start();
        system.awaitHandled();

        assertThat(system.row(after)).containsEntry("source_version", 1L);
        var letters = system.deadLetters();
        assertThat(letters).anySatisfy(letter -> assertThat(letter.value()).isEqualTo(noise));
        assertThat(letters).anySatisfy(letter -> {
            assertThat(letter.value()).isNull();
            assertThat(text(letter, "DeadLetterReason")).startsWith("left out, being too large for this topic");
            assertThat(text(letter, "DeadLetterPartition")).isEqualTo("0");
            assertThat(text(letter, "MessageId")).isNotNull();
        });
    }

    private static String shown(Header header) {
        return header.key() + "="
                + (header.value() == null ? "null" : java.util.HexFormat.of().formatHex(header.value()));
    }

    private static UserEvent upsert() {
        return upsert(UUID.randomUUID());
    }

    private static UserEvent upsert(UUID user) {
        return UserEvent.upserted(user, 1);
    }

    private static UserEvent changed(String text, String by) {
        return upsert().replacing(text, by);
    }

    private static UserEvent names(String first, String last) {
        return UserEvent.upserted(UUID.randomUUID(), 1, first, last);
    }

    private static UserEvent named(String name) {
        return upsert().replacing(
                        "{\"FirstName\":\"Ivan\",\"LastName\":\"Petrov\",\"MiddleName\":\"Ivanovich\"}", name);
    }
}
