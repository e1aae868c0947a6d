package tests.support;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A record of {@code pin.identity.users.v1}. */
public final class UserEvent extends EventRecord<UserEvent> {

    public static final String UPSERTED = "pin.identity.user-upserted";
    public static final String BLOCKED = "pin.identity.user-blocked";

    private UserEvent(String type, UUID user, String json) {
        super(type, user, json);
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
}
