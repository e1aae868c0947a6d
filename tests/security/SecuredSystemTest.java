package tests.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static tests.security.SecuredSystem.SECRET;

import app.Settings;
import app.db.Databases;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.ExecutionException;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.DescribeTopicsOptions;
import org.apache.kafka.clients.admin.OffsetSpec;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.errors.TopicAuthorizationException;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tests.support.AccessChange;
import tests.support.Command;
import tests.support.EventRecord;
import tests.support.Identity;
import tests.support.UserEvent;

@DisplayName("The secured system")
class SecuredSystemTest {

    private static final String ACCESS = "pin.identity.access.v1";
    private static final String USERS = "pin.identity.users.v1";
    private static final List<String> SERVICES = List.of("gateway", "crm", "catalog", "chessboard");

    @RegisterExtension
    static final SecuredSystem SYSTEM = new SecuredSystem();

    @ParameterizedTest(
            name = "OPS-05 with {0} to Kafka and TLS to PostgreSQL everything works, with the rights of the manifests")
    @ValueSource(strings = {"SSL", "SASL_SSL"})
    void everythingWorks(String protocol) throws Exception {
        try (var authorizer = new AuthorizerLog();
                var identity = new Identity(SYSTEM.plainUrl())) {
            var relay = with(
                    protocol,
                    "identity-access",
                    SYSTEM.properties(
                            "identity",
                            "identity.fanout.inline-threshold",
                            "0",
                            "identity.access-groups",
                            String.join(",", SERVICES),
                            "identity.topic-v2.enabled",
                            "true"));
            var cache = with(protocol, "gateway", SYSTEM.properties("access-cache"));
            var news = with(protocol, "news", SYSTEM.properties("news"));
            List.of(relay, cache, news).forEach(SYSTEM::start);
            List.of(relay, cache, news).forEach(SecuredSystem::awaitReady);

            var role = identity.role("agent");
            var users = identity.usersOf(role, 3);
            identity.enqueue(role);
            await().until(() -> identity.sql()
                    .queryForList("select user_id from access_cache.current_access", UUID.class)
                    .containsAll(users));
            var applied = identity.sql().queryForObject("select clock_timestamp()", OffsetDateTime.class);
            await().until(() -> identity.sql()
                    .queryForObject(
                            "select exists (select from access_cache.freshness where applied_until > ?)",
                            Boolean.class,
                            applied));

            var author = UUID.randomUUID();
            send(protocol, "identity", USERS, UserEvent.upserted(author, 1));
            send(
                    protocol,
                    "identity",
                    USERS,
                    UserEvent.upserted(UUID.randomUUID(), 1).value("no JSON"));
            await().until(() -> identity.sql()
                    .queryForObject(
                            "select exists (select from news.author_replicas where id = ?)", Boolean.class, author));
            var user = UUID.randomUUID();
            send(
                    protocol,
                    "identity-access",
                    ACCESS,
                    AccessChange.ofAssignments(user, 1).value("no JSON"));
            await().until(() -> identity.sql()
                    .queryForObject(
                            "select exists (select from access_cache.user_access where user_id = ?)",
                            Boolean.class,
                            user));
            deadLetters(news, "news", "NEWS_REPLICA_INVALID_PAYLOAD");
            deadLetters(cache, "access-cache", "ACCESS_CACHE_INVALID_PAYLOAD");
            try (var autoscaler = Admin.create(SYSTEM.client(protocol, "news-autoscaler"))) {
                var partitions = autoscaler
                        .listConsumerGroupOffsets("news-identity-users")
                        .partitionsToOffsetAndMetadata()
                        .get()
                        .keySet();
                var ends = new HashMap<TopicPartition, OffsetSpec>();
                partitions.forEach(partition -> ends.put(partition, OffsetSpec.latest()));
                assertThat(autoscaler.listOffsets(ends).all().get()).isNotEmpty();
            }
            assertThat(Command.run(relay, "tasks", "list").out()).contains("\tCompleted\t" + role);

            assertThat(authorizer.refused()).as("what the manifests lack").isEmpty();
            for (var principal : List.of("identity-access", "identity", "gateway", "news", "news-autoscaler")) {
                var name = protocol.equals("SSL") ? "CN=" + principal : principal;
                assertThat(Manifests.users().get(principal))
                        .as("rights of " + principal + " that nobody needs")
                        .allMatch(right -> authorizer.allowed().stream()
                                .anyMatch(used -> used.user().equals(name)
                                        && right.covers(used.operation(), used.type(), used.name())));
            }
        }
    }

    private static void deadLetters(Properties settings, String consumer, String code) throws Exception {
        await().until(() -> Command.run(settings, "dead-letters", "list", "--of", consumer)
                .out()
                .contains(code));
        var replayed = Command.run(settings, "dead-letters", "replay", "--of", consumer);
        assertThat(replayed.out()).contains("failed again: ").contains(code);
        assertThat(replayed.err().lines()).singleElement().asString().endsWith("of them failed again");
    }

    @Test
    @DisplayName("EVT-11 every consumer service has the same rights, to its own group and dead letters")
    void services() {
        var gateway = Manifests.users().get("gateway").toString();
        for (var service : SERVICES) {
            assertThat(Manifests.users().get(service)).hasToString(gateway.replace("gateway", service));
        }
    }

    @Test
    @DisplayName("EVT-11 docs/security.md tells of every right of every user, and of no other")
    void documentedRights() throws Exception {
        var documented = new TreeSet<String>();
        var user = "";
        for (var row : Files.readString(Path.of("docs/security.md")).lines().toList()) {
            var cells = row.split(" *\\| *", -1);
            if (cells.length != 5 || !cells[2].matches("(READ|WRITE|DESCRIBE).* `.*")) {
                continue;
            }
            user = cells[1].isEmpty() ? user : cells[1].split("`")[1];
            var right = cells[2].split(" (topic|group|transactional_id) ");
            var type = cells[2].replaceAll(".* (topic|group|transactional_id) .*", "$1");
            for (var operation : right[0].split(", ")) {
                for (var name : right[1].split(", ")) {
                    documented.add((user + ": " + operation + " " + type + " " + name)
                            .replace("`", "")
                            .toLowerCase(Locale.ROOT));
                }
            }
        }
        var given = new TreeSet<String>();
        Manifests.users().forEach((name, rights) -> rights.forEach(right -> given.add(name + ": " + right)));
        given.removeIf(right -> right.matches("(crm|catalog|chessboard): .*")); // as gateway's

        assertThat(documented).isEqualTo(given);
    }

    @Test
    @DisplayName("EVT-11, REP-16, REP-22 nobody but those who must can write or read a topic")
    void nobodyElse() throws Exception {
        var writers = new HashMap<String, Set<String>>(Map.of(
                ACCESS,
                Set.of("identity-access"),
                "pin.identity.access.v2",
                Set.of("identity-access"),
                "pin.identity.access.watermarks",
                Set.of("identity-access"),
                USERS,
                Set.of("identity"),
                USERS + ".news-identity-users.dlq",
                Set.of("news")));
        var readers = new HashMap<String, Set<String>>(Map.of(
                ACCESS,
                Set.copyOf(SERVICES),
                "pin.identity.access.v2",
                Set.of(),
                "pin.identity.access.watermarks",
                Set.copyOf(SERVICES),
                USERS,
                Set.of("news"),
                USERS + ".news-identity-users.dlq",
                Set.of("news")));
        for (var service : SERVICES) {
            writers.put(ACCESS + "." + service + ".dlq", Set.of(service));
            readers.put(ACCESS + "." + service + ".dlq", Set.of(service));
        }
        var topics = Manifests.topics().stream().map(Manifests.Topic::name).toList();
        assertThat(topics).containsExactlyInAnyOrderElementsOf(writers.keySet());
        var everybody = new TreeSet<>(Manifests.users().keySet());
        everybody.add("somebody-else");

        for (var principal : everybody) {
            try (var admin = Admin.create(SYSTEM.client("SSL", principal))) {
                var answers = admin.describeTopics(
                                topics, new DescribeTopicsOptions().includeAuthorizedOperations(true))
                        .topicNameValues();
                for (var topic : topics) {
                    var may = allowed(answers.get(topic)::get);
                    assertThat(may.contains(AclOperation.WRITE))
                            .as(principal + " writes " + topic)
                            .isEqualTo(writers.get(topic).contains(principal));
                    assertThat(may.contains(AclOperation.READ))
                            .as(principal + " reads " + topic)
                            .isEqualTo(readers.get(topic).contains(principal));
                    assertThat(may)
                            .as(principal + " and " + topic)
                            .isSubsetOf(AclOperation.WRITE, AclOperation.READ, AclOperation.DESCRIBE);
                }
            }
        }
    }

    private interface Answer {
        org.apache.kafka.clients.admin.TopicDescription get() throws InterruptedException, ExecutionException;
    }

    private static Set<AclOperation> allowed(Answer answer) throws InterruptedException, ExecutionException {
        try {
            return answer.get().authorizedOperations();
        } catch (ExecutionException e) {
            assertThat(e).hasCauseInstanceOf(TopicAuthorizationException.class);
            return Set.of();
        }
    }

    @Test
    @DisplayName("REP-16 dead letters are kept for a bounded time, and may be 1 KiB larger than their source's records")
    void deadLetterTopics() {
        var topics = new HashMap<String, Manifests.Topic>();
        Manifests.topics().forEach(topic -> topics.put(topic.name(), topic));
        assertThat(topics.get(ACCESS).partitions()).isEqualTo(6);
        for (var topic : topics.values()) {
            assertThat(topic.replicas()).as(topic.name()).isEqualTo(3);
            assertThat(topic.settings())
                    .as(topic.name())
                    .containsEntry("min.insync.replicas", "2")
                    .containsEntry("cleanup.policy", "delete")
                    .containsKey("retention.ms");
            if (topic.name().endsWith(".dlq")) {
                var source = topics.get(topic.name().startsWith(ACCESS) ? ACCESS : USERS);
                assertThat(Integer.parseInt(topic.settings().get("max.message.bytes")))
                        .as(topic.name())
                        .isEqualTo(1024 + Integer.parseInt(source.settings().get("max.message.bytes")));
                assertThat(Long.parseLong(topic.settings().get("retention.ms")))
                        .as(topic.name())
                        .isBetween(1L, 30L * 24 * 60 * 60 * 1000);
            }
        }
    }

    @ParameterizedTest(name = "OPS-05 {1} to Kafka with {0} is refused, in one line: {2}")
    @CsvSource(
            delimiter = '|',
            value = {
                "another authority | SSL | unable to find valid certification path",
                "another host name | SSL | No subject alternative",
                "no certificate | SSL | certificate",
                "a certificate of another authority | SSL | certificate",
                "another host name | SASL_SSL | No subject alternative",
                "a wrong password | SASL_SSL | SaslAuthenticationException: Authentication failed",
            })
    void kafkaRefuses(String what, String protocol, String message) throws Exception {
        var settings = with(protocol, "news", SYSTEM.properties("news"));
        var other = new Authority("another");
        switch (what) {
            case "another authority" ->
                settings.setProperty(
                        "kafka.ssl-truststore-location",
                        other.trustStore(SYSTEM.folder().resolve("other.p12"), SECRET)
                                .toString());
            case "another host name" ->
                settings.setProperty(
                        "kafka.brokers", settings.getProperty("kafka.brokers").replace("localhost", "127.0.0.1"));
            case "no certificate" ->
                settings.keySet().removeIf(name -> name.toString().startsWith("kafka.ssl-keystore"));
            case "a certificate of another authority" ->
                settings.setProperty(
                        "kafka.ssl-keystore-location",
                        other.sign("news")
                                .store(SYSTEM.folder().resolve("news.other.p12"), SECRET + "-news")
                                .toString());
            default -> settings.setProperty("kafka.sasl-jaas-config", SecuredSystem.login("news", SECRET + "-wrong"));
        }

        var refused = Command.run(settings, "dead-letters", "list");

        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err().lines()).singleElement().asString().contains(message);
        assertThat(refused.err()).doesNotContain(SECRET);
    }

    @ParameterizedTest(name = "OPS-05 {0} to PostgreSQL is refused, in one line: {1}")
    @CsvSource(
            delimiter = '|',
            value = {
                "another authority | unable to find valid certification path",
                "another host name | 127.0.0.1",
                "no TLS | pg_hba.conf rejects connection",
                "a wrong password | password authentication failed for user \"secured_identity\"",
            })
    void postgresRefuses(String what, String message) throws Exception {
        var settings = SYSTEM.properties("identity");
        switch (what) {
            case "another authority" ->
                settings.setProperty(
                        "identity.db.url",
                        SYSTEM.plainUrl() + "?sslmode=verify-full&sslrootcert="
                                + new Authority("another")
                                        .trustPem(SYSTEM.folder().resolve("other.crt")));
            case "another host name" ->
                settings.setProperty("identity.db.url", SYSTEM.url().replace("localhost", "127.0.0.1"));
            case "no TLS" -> settings.setProperty("identity.db.url", SYSTEM.plainUrl() + "?sslmode=disable");
            default -> settings.setProperty("identity.db.password", SECRET + "-wrong");
        }

        var printed = new ArrayList<String>();
        var handler = printing(printed);
        java.util.logging.Logger.getLogger("").addHandler(handler);
        Command refused;
        try {
            refused = Command.run(settings, "tasks", "list");
        } finally {
            java.util.logging.Logger.getLogger("").removeHandler(handler);
        }

        assertThat(printed).as("what the driver prints by itself").isEmpty();
        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err().lines()).singleElement().asString().contains(message);
        assertThat(refused.err()).doesNotContain(SECRET);
    }

    @Test
    @DisplayName(
            "OPS-05 a new authority for PostgreSQL is read with the next connection; a client of Kafka keeps what it was made with")
    void rotation() throws Exception {
        var other = new Authority("another");
        var trust = other.trustPem(SYSTEM.folder().resolve("rotated.crt"));
        var store = other.trustStore(SYSTEM.folder().resolve("rotated.p12"), SECRET);
        var database = new Settings.Database(
                SYSTEM.plainUrl() + "?sslmode=verify-full&sslrootcert=" + trust,
                "secured_identity",
                SECRET + "-secured_identity",
                1);
        var client = SYSTEM.client("SASL_SSL", "news");
        client.put("ssl.truststore.location", store.toString());
        try (var pool = Databases.pool("rotation", database, Duration.ofSeconds(1));
                var made = Admin.create(client)) {
            assertThatThrownBy(pool::getConnection).hasStackTraceContaining("unable to find valid certification path");
            assertThatThrownBy(() -> made.describeCluster().nodes().get())
                    .hasStackTraceContaining("unable to find valid certification path");

            SYSTEM.authority().trustPem(trust);
            SYSTEM.authority().trustStore(store, SECRET);

            await().ignoreExceptions().until(() -> {
                try (var connection = pool.getConnection()) {
                    return connection.isValid(1);
                }
            });
            assertThatThrownBy(() -> made.describeCluster().nodes().get())
                    .hasStackTraceContaining("unable to find valid certification path");
            try (var fresh = Admin.create(client)) {
                assertThat(fresh.describeCluster().nodes().get()).isNotEmpty();
            }
        }
    }

    private static Handler printing(List<String> printed) {
        return new Handler() {
            @Override
            public void publish(LogRecord record) {
                printed.add(record.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
    }

    private static Properties with(String protocol, String user, Properties settings) throws Exception {
        settings.putAll(SYSTEM.kafka(protocol, user));
        return settings;
    }

    private static void send(String protocol, String user, String topic, EventRecord<?> event) throws Exception {
        try (var producer = new KafkaProducer<>(
                SYSTEM.client(protocol, user), new ByteArraySerializer(), new ByteArraySerializer())) {
            producer.send(event.record(topic, null)).get();
        }
    }
}
