package processors.identity;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;

/** How an access event is written: schemas/golden/ holds the bytes that come of it (EVT-02). */
public final class AccessJson {

    private AccessJson() {}

    /** Times as ISO-8601 text with offset; the rest is said where {@link UserAccessChanged} declares its fields. */
    public static ObjectMapper mapper() {
        return JsonMapper.builder()
                .addModule(new JavaTimeModule())
                .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
                .build();
    }
}
