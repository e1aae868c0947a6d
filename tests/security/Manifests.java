package tests.security;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.apache.kafka.common.acl.AccessControlEntry;
import org.apache.kafka.common.acl.AclBinding;
import org.apache.kafka.common.acl.AclOperation;
import org.apache.kafka.common.acl.AclPermissionType;
import org.apache.kafka.common.resource.PatternType;
import org.apache.kafka.common.resource.ResourcePattern;
import org.apache.kafka.common.resource.ResourceType;

/** Users, their rights and topics, as the manifests say them and as Strimzi would create them. */
final class Manifests {

    private static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

    private Manifests() {}

    /** A right to something. */
    record Right(AclOperation operation, ResourceType type, String name, PatternType pattern) {

        static Right to(AclOperation operation, ResourceType type, String name) {
            return new Right(operation, type, name, PatternType.LITERAL);
        }

        AclBinding of(String principal) {
            return new AclBinding(
                    new ResourcePattern(type, name, pattern),
                    new AccessControlEntry(principal, "*", operation, AclPermissionType.ALLOW));
        }

        boolean covers(AclOperation used, ResourceType usedType, String usedName) {
            return operation == used
                    && type == usedType
                    && (pattern == PatternType.PREFIXED ? usedName.startsWith(name) : usedName.equals(name));
        }

        @Override
        public String toString() {
            return (operation + " " + type + " " + name + (pattern == PatternType.PREFIXED ? "*" : ""))
                    .toLowerCase(Locale.ROOT);
        }
    }

    /** A topic. */
    record Topic(String name, int partitions, int replicas, Map<String, String> settings) {}

    /** The rights of each user, in the order of k8s/kafka/users.yaml. */
    static Map<String, List<Right>> users() {
        var users = new LinkedHashMap<String, List<Right>>();
        for (var user : documents("users.yaml", "KafkaUser")) {
            var rights = new ArrayList<Right>();
            for (var acl : user.at("/spec/authorization/acls")) {
                var resource = acl.get("resource");
                for (var operation : acl.get("operations")) {
                    rights.add(new Right(
                            AclOperation.fromString(operation.asText()),
                            resource.get("type").asText().equals("transactionalId")
                                    ? ResourceType.TRANSACTIONAL_ID
                                    : ResourceType.fromString(
                                            resource.get("type").asText()),
                            resource.get("name").asText(),
                            resource.get("patternType").asText().equals("prefix")
                                    ? PatternType.PREFIXED
                                    : PatternType.LITERAL));
                }
            }
            users.put(user.at("/metadata/name").asText(), rights);
        }
        return users;
    }

    /** What k8s/kafka/topics.yaml declares. */
    static List<Topic> topics() {
        var topics = new ArrayList<Topic>();
        for (var topic : documents("topics.yaml", "KafkaTopic")) {
            var settings = new LinkedHashMap<String, String>();
            topic.at("/spec/config")
                    .fields()
                    .forEachRemaining(setting ->
                            settings.put(setting.getKey(), setting.getValue().asText()));
            topics.add(new Topic(
                    topic.at("/metadata/name").asText(),
                    topic.at("/spec/partitions").asInt(),
                    topic.at("/spec/replicas").asInt(),
                    settings));
        }
        return topics;
    }

    private static List<JsonNode> documents(String file, String kind) {
        try (var documents = YAML.readerFor(JsonNode.class)
                .<JsonNode>readValues(Path.of("k8s", "kafka", file).toFile())) {
            var all = documents.readAll();
            if (all.isEmpty()
                    || all.stream().anyMatch(one -> !one.path("kind").asText().equals(kind))) {
                throw new AssertionError(file + " holds something that is no " + kind);
            }
            return all;
        } catch (IOException e) {
            throw new AssertionError(file + " cannot be read", e);
        }
    }
}
