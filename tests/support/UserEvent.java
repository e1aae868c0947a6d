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

/** A record of {@code pin.identity.users.v1} as identity writes it, and with whatever a test does to it. */
public final class UserEvent {

    public static final String UPSERTED = "pin.identity.user-upserted";
    public static final String BLOCKED = "pin.identity.user-blocked";

    private final List<Header> headers = new ArrayList<>();
    private byte @Nullable [] key;
    private byte @Nullable [] value;
    private UUID messageId = UUID.randomUUID();

    private UserEvent(String type, UUID user, String json) {
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

    public static UserEvent upserted(UUID user, long version) {
        return upserted(user, version, "Ivan", "Petrov");
    }

    public static UserEvent upserted(UUID user, long version, String firstName, String lastName) {
        return upserted(user, version, firstName, lastName, "Agent", "Active");
    }

    public static UserEvent upserted(
            UUID user, long version, String firstName, String lastName, String type, String status) {
        return new UserEvent(
                UPSERTED, user, """
                {"UserId":"%s","Name":{"FirstName":%s,"LastName":%s,"MiddleName":"Ivanovich"},"Type":"%s",
                 "CompanyId":"5d1f9f43-5d3b-4f3b-8e0e-0b1a2c3d4e5f","Status":"%s","Version":%d,
                 "PhoneNumber":"+79990001122","Email":"ivan@example.org","RegisteredVia":"Web","ReferrerUrl":null}\
                """.formatted(user, quoted(firstName), quoted(lastName), type, status, version));
    }

    public static UserEvent blocked(UUID user, long version) {
        return new UserEvent(
                BLOCKED,
                user,
                "{\"UserId\":\"%s\",\"CompanyId\":null,\"BlockedAt\":\"2026-03-01T07:20:30Z\",\"Reason\":\"fraud\",\"Version\":%d}"
                        .formatted(user, version));
    }

    private static String quoted(@Nullable String text) {
        return text == null ? "null" : "\"" + text + "\"";
    }

    public UUID messageId() {
        return messageId;
    }

    public UserEvent messageId(UUID id) {
        messageId = id;
        return header("MessageId", id.toString());
    }

    public UserEvent createdAt(OffsetDateTime time) {
        return header("CreatedAt", time.toString());
    }

    /** Instead of what the header is. */
    public UserEvent header(String name, String text) {
        return header(name, bytes(text));
    }

    public UserEvent header(String name, byte @Nullable [] bytes) {
        for (int i = 0; i < headers.size(); i++) {
            if (headers.get(i).key().equals(name)) {
                headers.set(i, new RecordHeader(name, bytes));
                return this;
            }
        }
        return moreHeader(name, bytes);
    }

    /** Behind the headers that there are, of the same name too. */
    public UserEvent moreHeader(String name, byte @Nullable [] bytes) {
        headers.add(new RecordHeader(name, bytes));
        return this;
    }

    public UserEvent withoutHeader(String name) {
        headers.removeIf(header -> header.key().equals(name));
        return this;
    }

    public UserEvent key(byte @Nullable [] bytes) {
        key = bytes;
        return this;
    }

    public UserEvent value(String json) {
        return value(bytes(json));
    }

    public UserEvent value(byte @Nullable [] bytes) {
        value = bytes;
        return this;
    }

    /** The value with some text in it replaced, which must be there. */
    public UserEvent replacing(String text, String by) {
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

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }
}
