package processors.consuming;

import org.apache.kafka.common.header.Headers;
import org.apache.kafka.common.serialization.Serializer;
import org.jspecify.annotations.Nullable;

/**
 * Writes a {@link DeadLetter} as a record. Here, because a serializer sees the record's headers: an exchange's headers are
 * a map and would lose duplicates, order and null values.
 */
public final class DeadLetterSerializer implements Serializer<DeadLetter> {

    @Override
    public byte @Nullable [] serialize(String topic, DeadLetter letter) {
        throw new UnsupportedOperationException("a dead letter has headers");
    }

    @Override
    public byte @Nullable [] serialize(String topic, Headers headers, DeadLetter letter) {
        letter.addHeaders(headers);
        return letter.value();
    }
}
