package tests.support;

import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.jspecify.annotations.Nullable;

/**
 * An event as identity writes it, and with whatever a test does to it.
 *
 * @param <E> the kind of event
 */
public abstract class EventRecord<E extends EventRecord<E>> {

    private final List<Header> headers = new ArrayList<>();
    private byte @Nullable [] key;
    private byte @Nullable [] value;
    private UUID messageId = UUID.randomUUID();

    EventRecord(String type, UUID user, String json) {
        key = bytes(user.toString());
        value = bytes(json);
        headers.add(new RecordHeader("MessageId", bytes(messageId.toString())));
        headers.add(new RecordHeader("EventType", bytes(type)));
        headers.add(new RecordHeader("ContractVersion", bytes("1")));
        headers.add(new RecordHeader("CreatedAt", bytes("2026-03-01T10:20:30.123456+03:00")));
        headers.add(new RecordHeader("AggregateId", key));
        headers.add(new RecordHeader("AggregateType", bytes("User")));
        headers.add(new RecordHeader("CorrelationId", bytes(UUID.randomUUID().toString())));
    }

    public UUID messageId() {
        return messageId;
    }

    public E messageId(UUID id) {
        messageId = id;
        return header("MessageId", id.toString());
    }

    public E createdAt(OffsetDateTime time) {
        return header("CreatedAt", time.toString());
    }

    /** Instead of what the header is. */
    public E header(String name, String text) {
        return header(name, bytes(text));
    }

    public E header(String name, byte @Nullable [] bytes) {
        for (int i = 0; i < headers.size(); i++) {
            if (headers.get(i).key().equals(name)) {
                headers.set(i, new RecordHeader(name, bytes));
                return self();
            }
        }
        return moreHeader(name, bytes);
    }

    /** Behind the headers that there are, of the same name too. */
    public E moreHeader(String name, byte @Nullable [] bytes) {
        headers.add(new RecordHeader(name, bytes));
        return self();
    }

    public E withoutHeader(String name) {
        headers.removeIf(header -> header.key().equals(name));
        return self();
    }

    public E key(byte @Nullable [] bytes) {
        key = bytes;
        return self();
    }

    public E value(String json) {
        return value(bytes(json));
    }

    public E value(byte @Nullable [] bytes) {
        value = bytes;
        return self();
    }

    /** The value with some text in it replaced, which must be there. */
    public E replacing(String text, String by) {
        var json = new String(value, StandardCharsets.UTF_8);
        if (!json.contains(text)) {
            throw new IllegalArgumentException(text + " is not in " + json);
        }
        return value(json.replace(text, by));
    }

    public byte @Nullable [] value() {
        return value;
    }

    public List<Header> headers() {
        return headers;
    }

    /** @param partition null for Kafka's choice by the key */
    public ProducerRecord<byte[], byte[]> record(String topic, @Nullable Integer partition) {
        return new ProducerRecord<>(topic, partition, key, value, headers);
    }

    static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    @SuppressWarnings("unchecked")
    private E self() {
        return (E) this;
    }
}
