package tests.news;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import demo.EmbeddedKafka;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tests.support.ManagementPort;
import tests.support.NewsSystem;
import tests.support.UserEvent;

@DisplayName("Kafka refuses")
class KafkaRefusalTest {

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    @RegisterExtension
    final NewsSystem system = new NewsSystem();

    @Test
    @DisplayName(
            "cases 37: no right to the group: alive, not ready with the reason, no spin; granted: it goes on by itself")
    void group() throws Exception {
        try (var kafka = EmbeddedKafka.start(Map.of(
                        "authorizer.class.name", "org.apache.kafka.metadata.authorizer.StandardAuthorizer",
                        "allow.everyone.if.no.acl.found", "true"));
                var admin = Admin.create(Map.of("bootstrap.servers", kafka.brokers()))) {
            kafka.createTopic(system.topic(), 1);
            kafka.createTopic(system.deadLetterTopic(), 1);
            var denied = new AclBinding(
                    new ResourcePattern(ResourceType.GROUP, system.group(), PatternType.LITERAL),
                    new AccessControlEntry("User:*", "*", AclOperation.READ, AclPermissionType.DENY));
            admin.createAcls(List.of(denied)).all().get();
            var user = UUID.randomUUID();
            try (var producer = new KafkaProducer<>(
                    Map.<String, Object>of("bootstrap.servers", kafka.brokers()),
                    new ByteArraySerializer(),
                    new ByteArraySerializer())) {
                producer.send(UserEvent.upserted(user, 1).record(system.topic(), null))
                        .get();
            }

            var application = system.start("kafka.brokers", kafka.brokers());
            var port = ManagementPort.of(application);

            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(port.readiness().body())
                            .contains("Kafka lets nobody read: GroupAuthorizationException"));
            assertThat(port.readiness().statusCode()).isEqualTo(503);
            assertThat(port.isLive()).isTrue();

            admin.deleteAcls(List.of(denied.toFilter())).all().get();
            await().atMost(PATIENCE).until(() -> system.rows() == 1);
            await().atMost(PATIENCE).until(() -> port.isReady());
            application.close();
        }
    }
}
