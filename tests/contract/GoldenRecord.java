package tests.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * A record as it stands in Kafka, from a file of schemas/golden/.
 *
 * @param value the text whose UTF-8 bytes are the record's value
 */
public record GoldenRecord(String description, String topic, String key, Map<String, String> headers, String value) {

    static final String ACCESS_EVENT = "pin.identity.user-access-changed";

    private static final Path FOLDER = Path.of("schemas/golden");
    private static final ObjectMapper JSON = new ObjectMapper();

    /** What producers write today. */
    static Stream<GoldenRecord> today() {
        return in(FOLDER);
    }

    /** What they may write one day, within ContractVersion 1 or with a warning. */
    static Stream<GoldenRecord> tomorrow() {
        return in(FOLDER.resolve("tomorrow"));
    }

    static Stream<GoldenRecord> accessToday() {
        return today().filter(GoldenRecord::isAccess);
    }

    static GoldenRecord named(String name) {
        return read(FOLDER.resolve(name + ".json"));
    }

    private static Stream<GoldenRecord> in(Path folder) {
        try (var files = Files.list(folder)) {
            var records = files.filter(file -> file.toString().endsWith(".json"))
                    .sorted()
                    .map(GoldenRecord::read)
                    .toList();
            if (records.isEmpty()) {
                throw new AssertionError("no golden records in " + folder);
            }
            return records.stream();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static GoldenRecord read(Path file) {
        try {
            return JSON.readValue(Files.readString(file), GoldenRecord.class);
        } catch (IOException e) {
            throw new UncheckedIOException(file.toString(), e);
        }
    }

    boolean isAccess() {
        return eventType().equals(ACCESS_EVENT);
    }

    String eventType() {
        return headers.get("EventType");
    }

    byte[] bytes() {
        return value.getBytes(StandardCharsets.UTF_8);
    }

    JsonNode json() {
        try {
            return JSON.readTree(value);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    byte[] headersAsJson() {
        return JSON.valueToTree(headers).toString().getBytes(StandardCharsets.UTF_8);
    }

    List<JsonNode> assignments() {
        return json().get("ActiveAssignments").valueStream().toList();
    }

    @Override
    public String toString() {
        return description;
    }
}
