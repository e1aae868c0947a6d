package demo;

import java.util.List;

/** The shipped JSON Schema of the access event. */
public final class AccessEventSchema {

    private final EventSchema schema = new EventSchema("user-access-changed.v1.json");

    /** What is wrong with the value, empty when it is valid. */
    public List<String> errors(byte[] value) {
        return schema.errors(value);
    }
}
