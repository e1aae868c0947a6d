package tests.contract;

import static org.assertj.core.api.Assertions.assertThat;

import app.ContractHeaders;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import processors.identity.AccessRecords;

@DisplayName("schemas/asyncapi.yaml")
class AsyncApiTest {

    private static final Path FOLDER = Path.of("schemas");
    private static final ObjectMapper YAML = new ObjectMapper(YAMLFactory.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build());
    private static final JsonNode DOCUMENT = read("asyncapi.yaml");

    @Test
    @DisplayName("EVT-01 has the structure of AsyncAPI 3.0: what is required is there, and no unknown field")
    void structure() throws IOException {
        var specification = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(new ObjectMapper().readTree(Files.readString(Path.of("tests/contract/asyncapi-3.0.json"))));

        assertThat(specification.validate(DOCUMENT)).isEmpty();
    }

    @Test
    @DisplayName("EVT-01 every reference in it and in the schemas leads somewhere")
    void references() {
        var files = Stream.concat(Stream.of("asyncapi.yaml"), schemas()).toList();
        for (var file : files) {
            var document = read(file);
            assertThat(references(document))
                    .as("references in " + file)
                    .isNotEmpty()
                    .allSatisfy(
                            reference -> assertThat(target(document, reference).isMissingNode())
                                    .as(reference)
                                    .isFalse());
        }
    }

    @Test
    @DisplayName("EVT-02 every schema is the payload or the headers of a message")
    void everySchemaIsUsed() {
        assertThat(references(DOCUMENT).stream().filter(reference -> reference.startsWith("./")))
                .extracting(reference -> reference.substring(2))
                .containsOnly(schemas().toArray(String[]::new));
    }

    @Test
    @DisplayName("EVT-01 an operation names messages of its own channel, and every message of a channel is in use")
    void operations() {
        var used = new HashSet<String>();
        for (var operation : DOCUMENT.get("operations")) {
            var channel = operation.get("channel").get("$ref").asText();
            assertThat(operation.get("messages")).allSatisfy(message -> {
                assertThat(message.get("$ref").asText()).startsWith(channel + "/messages/");
                used.add(message.get("$ref").asText());
            });
        }
        var offered = new HashSet<String>();
        DOCUMENT.get("channels")
                .properties()
                .forEach(channel -> channel.getValue()
                        .get("messages")
                        .fieldNames()
                        .forEachRemaining(
                                message -> offered.add("#/channels/" + channel.getKey() + "/messages/" + message)));
        assertThat(used).isEqualTo(offered);
    }

    @Test
    @DisplayName("EVT-01 an address has exactly the parameters that are described, and no other channel has it")
    void addresses() {
        for (var channel : DOCUMENT.get("channels")) {
            var inAddress = Pattern.compile("\\{(\\w+)}")
                    .matcher(channel.get("address").asText())
                    .results()
                    .map(match -> match.group(1))
                    .toList();
            var described = new ArrayList<String>();
            channel.path("parameters").fieldNames().forEachRemaining(described::add);
            assertThat(inAddress).containsExactlyElementsOf(described);
        }
        assertThat(topics()).doesNotHaveDuplicates();
    }

    @Test
    @DisplayName("EVT-01 its topics are the contract's, and every topic of application.properties is one of them")
    void topicsAreTheDefaults() throws IOException {
        var settings = new Properties();
        try (var file = Files.newBufferedReader(Path.of("application.properties"))) {
            settings.load(file);
        }
        assertThat(topics())
                .containsExactlyInAnyOrder(
                        "pin.identity.access.v1",
                        "pin.identity.users.v1",
                        "pin.identity.users.v1.news-identity-users.dlq",
                        "pin.identity.access.v1.{group}.dlq");
        // Empty: derived from other settings, or off.
        var defaults = settings.stringPropertyNames().stream()
                .filter(name -> name.matches(".*[.-]topic"))
                .map(settings::getProperty)
                .filter(topic -> !topic.isEmpty())
                .toList();
        assertThat(defaults)
                .contains("pin.identity.access.v1")
                .allSatisfy(topic -> assertThat(topics())
                        .anySatisfy(address ->
                                assertThat(topic).matches(Pattern.quote(address).replace("{group}", "\\E.+\\Q"))));
        assertThat(DOCUMENT.at("/channels/identityAccess/bindings/kafka/partitions")
                        .asInt())
                .isEqualTo(6);
    }

    @Test
    @DisplayName("EVT-01 an access record has the headers that may leave the process, and no other")
    void headers() {
        assertThat(headers("userAccessChanged")).isEqualTo(ContractHeaders.ALLOWED);
        var withoutSource = new TreeSet<>(ContractHeaders.ALLOWED);
        withoutSource.remove("VersionSource");
        assertThat(headers("userUpserted")).isEqualTo(withoutSource);
        assertThat(headers("userBlocked")).isEqualTo(withoutSource);
        assertThat(headers("deadLetter"))
                .containsExactlyInAnyOrder(
                        "DeadLetterCode",
                        "DeadLetterReason",
                        "DeadLetterTopic",
                        "DeadLetterPartition",
                        "DeadLetterOffset",
                        "DeadLetterAt");
    }

    @Test
    @DisplayName("EVT-01 a message is named by its event type, which its headers fix and its schema knows")
    void eventTypes() {
        assertThat(DOCUMENT.at("/components/messages/userAccessChanged/name").asText())
                .isEqualTo(AccessRecords.EVENT_TYPE);
        for (var name : List.of("userAccessChanged", "userUpserted", "userBlocked")) {
            var message = DOCUMENT.at("/components/messages/" + name);
            var eventType = message.get("name").asText();
            assertThat(message.at("/headers/allOf/1/properties/EventType/const").asText())
                    .isEqualTo(eventType);
            assertThat(target(DOCUMENT, message.at("/headers/allOf/0/$ref").asText())
                            .at("/properties/EventType/x-extensible-enum"))
                    .extracting(JsonNode::asText)
                    .contains(eventType);
            assertThat(message.get("title"))
                    .isEqualTo(target(DOCUMENT, message.at("/payload/$ref").asText())
                            .get("title"));
        }
    }

    @Test
    @DisplayName("EVT-11 access events go to gateway, crm, catalog and chessboard, from identity alone")
    void readers() {
        var channel = DOCUMENT.at("/channels/identityAccess");
        assertThat(channel.get("x-senders")).extracting(JsonNode::asText).containsExactly("identity");
        assertThat(channel.get("x-receivers"))
                .extracting(JsonNode::asText)
                .containsExactlyInAnyOrder("gateway", "crm", "catalog", "chessboard");
    }

    private static List<String> topics() {
        return DOCUMENT.get("channels")
                .valueStream()
                .map(channel -> channel.get("address").asText())
                .toList();
    }

    /** The names of a message's headers, from its schema or from the parts that it is made of. */
    private static Set<String> headers(String message) {
        var headers = DOCUMENT.at("/components/messages/" + message + "/headers");
        var parts = headers.has("allOf") ? headers.get("allOf").valueStream() : Stream.of(headers);
        return parts.map(part ->
                        part.has("$ref") ? target(DOCUMENT, part.get("$ref").asText()) : part)
                .flatMap(part -> part.get("properties").propertyStream())
                .map(property -> property.getKey())
                .collect(Collectors.toSet());
    }

    private static List<String> references(JsonNode node) {
        return node.findValues("$ref").stream().map(JsonNode::asText).toList();
    }

    private static JsonNode target(JsonNode document, String reference) {
        return reference.startsWith("#") ? document.at(reference.substring(1)) : read(reference);
    }

    private static Stream<String> schemas() {
        try (var files = Files.list(FOLDER)) {
            return files
                    .map(file -> file.getFileName().toString())
                    .filter(name -> name.endsWith(".json"))
                    .toList()
                    .stream();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** JSON is YAML, too. */
    private static JsonNode read(String file) {
        try {
            return YAML.readTree(Files.readString(FOLDER.resolve(file)));
        } catch (IOException e) {
            throw new AssertionError(file, e);
        }
    }
}
