package demo;

import com.networknt.schema.InputFormat;
import com.networknt.schema.Schema;
import com.networknt.schema.SchemaRegistry;
import com.networknt.schema.SpecificationVersion;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;

/** The shipped JSON Schema of the access event. */
public final class AccessEventSchema {

    private static final String RESOURCE = "/schemas/user-access-changed.v1.json";

    private final Schema schema;

    public AccessEventSchema() {
        var in = Objects.requireNonNull(AccessEventSchema.class.getResourceAsStream(RESOURCE), RESOURCE);
        schema = SchemaRegistry.withDefaultDialect(SpecificationVersion.DRAFT_2020_12)
                .getSchema(in, InputFormat.JSON);
    }

    /** What is wrong with the value, empty when it is valid. */
    public List<String> errors(byte[] value) {
        return schema
                .validate(
                        new String(value, StandardCharsets.UTF_8),
                        InputFormat.JSON,
                        context -> context.executionConfig(config -> config.formatAssertionsEnabled(true)))
                .stream()
                .map(Object::toString)
                .toList();
    }
}
