package demo;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** A shipped JSON Schema: of an event's value, or of its headers. Formats are asserted. */
public final class EventSchema {

    private final Schema schema;

    /** @param file the name of a file in schemas/ */
    public EventSchema(String file) {
        var resource = "/schemas/" + file;
        var in = Objects.requireNonNull(EventSchema.class.getResourceAsStream(resource), resource);
        schema = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(in, InputFormat.JSON);
    }

    /** What is wrong with the JSON text, empty when it is valid. */
    public List<String> errors(byte[] json) {
        return schema
                .validate(
                        new String(json, StandardCharsets.UTF_8),
                        InputFormat.JSON,
                        context -> context.executionConfig(config -> config.formatAssertionsEnabled(true)))
                .stream()
                .map(Object::toString)
                .toList();
    }
}
