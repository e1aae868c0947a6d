package tests.security;

import static org.apache.kafka.common.acl.AclOperation.DESCRIBE;
import static org.apache.kafka.common.acl.AclOperation.READ;
import static org.apache.kafka.common.acl.AclOperation.WRITE;
import static org.apache.kafka.common.resource.ResourceType.GROUP;
import static org.apache.kafka.common.resource.ResourceType.TOPIC;
import static org.apache.kafka.common.resource.ResourceType.TRANSACTIONAL_ID;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static tests.security.SecuredSystem.SECRET;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import javax.management.JMException;
import javax.management.ObjectName;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tests.security.Manifests.Right;
import tests.support.AccessChange;
import tests.support.Identity;
import tests.support.ManagementPort;
import tests.support.ProductionLog;

@Tag("long")
@DisplayName("Refused rights")
class RefusedRightsTest {

    /** For as long as requests and lines are counted. */
    private static final Duration WHILE = Duration.ofSeconds(2);

    @RegisterExtension
    static final SecuredSystem SYSTEM = new SecuredSystem();

    private final ProductionLog log = new ProductionLog();
    /** A topic, a group and a user of this test alone. */
    private final String mine = "mine-" + UUID.randomUUID();

    @BeforeEach
    void listen() throws Exception {
        // What another test has left in the one database.
        SYSTEM.sql().execute("truncate identity.access_fanout_tasks, identity.access_announcements, identity.outbox");
        SYSTEM.admin()
                .createTopics(List.of(new NewTopic(mine, 6, (short) 1), new NewTopic(mine + ".dlq", 1, (short) 1)))
                .all()
                .get();
    }

    @AfterEach
    void stopListening() {
        log.close();
    }

    @Test
    @DisplayName(
            "cases 37: a relay without a right to its transactional ids, then to its topic: not ready, which right, no spin; granted, the rows go out")
    void relay() throws Exception {
        SYSTEM.grant(mine, Right.to(DESCRIBE, TOPIC, mine));
        try (var identity = new Identity(SYSTEM.plainUrl());
                var authorizer = new AuthorizerLog()) {
            var settings = start(
                    "identity",
                    "identity.topic",
                    mine,
                    "identity.watermark-topic",
                    "",
                    "identity.relay.transactional-id-prefix",
                    mine);
            var user = identity.user(null);
            identity.sql().queryForList("select identity.announce_access(array[?::uuid], 'AssignmentGranted')", user);

            await().untilAsserted(() -> assertThat(
                            ManagementPort.of(settings).readiness().body())
                    .contains("no right to WRITE topic " + mine + ": events wait in the outbox")
                    .contains("no right to WRITE as the transactional ids [" + mine + "-lane-0, "));
            assertThat(ManagementPort.of(settings).readiness().statusCode()).isEqualTo(503);
            await().untilAsserted(() -> assertThat(log.lines())
                    .anyMatch(line -> line.contains("no right to WRITE as transactional id " + mine)));
            // Four lanes, once a second.
            assertQuiet(authorizer, 4);

            SYSTEM.grant(mine, new Right(WRITE, TRANSACTIONAL_ID, mine, PatternType.PREFIXED));
            await().untilAsserted(() -> assertThat(
                            ManagementPort.of(settings).readiness().body())
                    .contains("no right to WRITE topic " + mine)
                    .doesNotContain("transactional ids ["));
            await().until(() -> authorizer.refused().stream()
                    .anyMatch(refused -> refused.operation() == WRITE && refused.type() == TOPIC));
            // The one lane that has a row.
            assertQuiet(authorizer, 2);
            assertThat(identity.outboxRows()).isEqualTo(1);

            SYSTEM.grant(mine, Right.to(WRITE, TOPIC, mine));
            await().until(() -> identity.outboxRows() == 0);
            SecuredSystem.awaitReady(settings);
        }
    }

    @Test
    @DisplayName(
            "cases 37: a cache without a right to its topic, its group, its dead letters: not ready, which right, no spin; granted, it goes on where it was")
    void cache() throws Exception {
        try (var authorizer = new AuthorizerLog()) {
            var settings = start(
                    "access-cache",
                    "access-cache.topic",
                    mine,
                    "access-cache.group",
                    mine,
                    "access-cache.dlq-topic",
                    mine + ".dlq",
                    "access-cache.watermark-topic",
                    "");
            var first = UUID.randomUUID();
            var broken = UUID.randomUUID();
            var last = UUID.randomUUID();
            send(AccessChange.ofAssignments(first, 1));

            await().untilAsserted(() -> assertThat(
                            ManagementPort.of(settings).readiness().body())
                    .contains("no right to READ topic " + mine + ": nothing comes")
                    .contains("no right to WRITE topic " + mine + ".dlq")
                    .contains("Kafka lets nobody read: "));
            assertQuiet(authorizer, 4);

            SYSTEM.grant(mine, Right.to(READ, TOPIC, mine), Right.to(DESCRIBE, TOPIC, mine + ".dlq"));
            await().untilAsserted(() -> assertThat(
                            ManagementPort.of(settings).readiness().body())
                    .doesNotContain("READ topic")
                    .contains("Kafka lets nobody read: GroupAuthorizationException: Not authorized to access group: "
                            + mine));
            assertQuiet(authorizer, 4);

            SYSTEM.grant(mine, Right.to(READ, GROUP, mine));
            await().until(() -> holds(first));
            send(AccessChange.ofAssignments(broken, 1).value("no JSON"));
            send(AccessChange.ofAssignments(last, 1));
            await().untilAsserted(() -> assertThat(log.lines())
                    .anyMatch(line -> line.contains("Not authorized to access topics: [" + mine + ".dlq]")));
            assertThat(ManagementPort.of(settings).readiness().body())
                    .contains("no right to WRITE topic " + mine
                            + ".dlq: a record that cannot be applied would stop its partition");
            assertThat(ManagementPort.of(settings).readiness().statusCode()).isEqualTo(503);
            assertQuiet(authorizer, 8);

            SYSTEM.grant(mine, Right.to(WRITE, TOPIC, mine + ".dlq"));
            await().until(() -> holds(last));
            SecuredSystem.awaitReady(settings);
        }
    }

    @Test
    @DisplayName(
            "cases 37: without a right to see the consumers' groups fan-outs go on, and it is said which is missing")
    void groups() throws Exception {
        SYSTEM.grant(
                mine, Right.to(WRITE, TOPIC, mine), new Right(WRITE, TRANSACTIONAL_ID, mine, PatternType.PREFIXED));
        try (var identity = new Identity(SYSTEM.plainUrl());
                var authorizer = new AuthorizerLog()) {
            var settings = start(
                    "identity",
                    "identity.topic",
                    mine,
                    "identity.watermark-topic",
                    "",
                    "identity.fanout.batch-size",
                    "10",
                    "identity.access-groups",
                    "gateway",
                    "identity.relay.transactional-id-prefix",
                    mine);
            var role = identity.role("agent");
            identity.usersOf(role, 100);
            var task = identity.enqueue(role);

            await().until(() -> identity.status(task).equals("Completed") && identity.outboxRows() == 0);
            // What is said is not said again for half a minute: where Kafka was too slow at first, that was said.
            await().pollInterval(Duration.ofSeconds(1)).until(() -> {
                identity.enqueue(role);
                return log.lines().stream()
                        .anyMatch(line -> line.contains("no right to DESCRIBE the groups [gateway]"));
            });

            assertThat(authorizer.refused())
                    .allMatch(
                            refused -> refused.type() == GROUP && refused.name().equals("gateway"));
            SecuredSystem.awaitReady(settings);
        }
    }

    @Test
    @DisplayName(
            "cases 37: a wrong password: every context is alive, not ready and says why, no spin; set right in Kafka, all go on")
    void password() throws Exception {
        var settings = SYSTEM.properties("identity,news,access-cache");
        settings.putAll(SYSTEM.kafka("SASL_SSL", mine));
        SYSTEM.grant(mine, all());
        SYSTEM.setPassword(mine, SECRET + "-another");
        SYSTEM.start(settings);
        await().untilAsserted(() -> assertThat(
                        ManagementPort.of(settings).readiness().body())
                .contains("Kafka and we do not authenticate: SaslAuthenticationException: Authentication failed")
                .contains("Kafka lets nobody read: SaslAuthenticationException: "));
        assertThat(ManagementPort.of(settings).readiness().statusCode()).isEqualTo(503);
        assertThat(ManagementPort.of(settings).isLive()).isTrue();
        double failed = failedAuthentications();
        int said = log.lines().size();
        double seconds = pass(WHILE);
        assertThat(failedAuthentications() - failed).as("attempts").isBetween(1.0, 15 * seconds);
        assertThat(log.lines().size() - said).as("lines").isLessThan(10);
        assertThat(log.lines()).allMatch(line -> !line.contains(SECRET));

        SYSTEM.setPassword(mine, SECRET + "-" + mine);
        SecuredSystem.awaitReady(settings);
        // From the relay's watermarks to the cache's positions: every client goes on.
        var now = SYSTEM.sql().queryForObject("select clock_timestamp()", OffsetDateTime.class);
        await().until(() -> SYSTEM.sql()
                .queryForObject(
                        "select exists (select from access_cache.freshness where applied_until > ?)",
                        Boolean.class,
                        now));
    }

    /** Every right that the manifests give to anybody. */
    private static Right[] all() {
        return Manifests.users().values().stream()
                .flatMap(List::stream)
                .distinct()
                .toArray(Right[]::new);
    }

    private Properties start(String contexts, String... overrides) throws Exception {
        var settings = SYSTEM.properties(contexts, overrides);
        settings.putAll(SYSTEM.kafka("SSL", mine));
        SYSTEM.start(settings);
        return settings;
    }

    /** @param perSecond requests that Kafka refuses, at most */
    private void assertQuiet(AuthorizerLog authorizer, int perSecond) {
        int refused = authorizer.refused().size();
        int said = log.lines().size();
        double seconds = pass(WHILE);
        assertThat(authorizer.refused().subList(refused, authorizer.refused().size()))
                .as("refused requests")
                .hasSizeBetween(1, (int) (perSecond * (seconds + 1)));
        assertThat(log.lines().size() - said)
                .as("lines in a log: " + log.lines())
                .isLessThan(5);
    }

    /** @return the seconds that have really passed */
    private static double pass(Duration time) {
        long begun = System.nanoTime();
        await().until(() -> System.nanoTime() - begun >= time.toNanos());
        return (System.nanoTime() - begun) / 1e9;
    }

    private static boolean holds(UUID user) {
        return SYSTEM.sql()
                .queryForObject(
                        "select exists (select from access_cache.user_access where user_id = ?)", Boolean.class, user);
    }

    private void send(AccessChange change) throws Exception {
        try (var producer =
                new KafkaProducer<>(SYSTEM.operator(), new ByteArraySerializer(), new ByteArraySerializer())) {
            // One partition, for a record behind a broken one must wait for it.
            producer.send(change.record(mine, 0)).get();
        }
    }

    /** Of everybody, since the broker has started. */
    private static double failedAuthentications() throws JMException {
        var server = ManagementFactory.getPlatformMBeanServer();
        double sum = 0;
        for (var processor : server.queryNames(
                new ObjectName("kafka.server:type=socket-server-metrics,listener=SASL_SSL,networkProcessor=*"), null)) {
            sum += (double) server.getAttribute(processor, "failed-authentication-total");
        }
        return sum;
    }
}
