package bench;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import javax.sql.DataSource;
import org.apache.kafka.common.header.Headers;
import org.jspecify.annotations.Nullable;
import processors.consuming.Received;

/**
 * The access cache by hand: values are bound to records and checked, each source has its guard, and a user's events of one
 * batch are one write over the revision that was read. It only knows events with a VersionSource, and fails on what the
 * routes invalidate or make a dead letter.
 */
final class HandWrittenCache extends HandWrittenConsumer {

    private static final int MOST_MESSAGE_IDS = 20;
    private static final JsonMapper JSON = JsonMapper.builder()
            .propertyNamingStrategy(PropertyNamingStrategies.UPPER_CAMEL_CASE)
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();
    private static final ObjectReader EVENT = JSON.readerFor(Event.class);
    private static final ObjectReader VERSIONS = JSON.readerFor(new TypeReference<TreeMap<String, Long>>() {});
    private static final ObjectReader MESSAGE_IDS =
            JSON.readerFor(new TypeReference<TreeMap<String, List<String>>>() {});
    private static final ObjectWriter WRITER = JSON.writer();

    HandWrittenCache(DataSource database, String brokers, String topic) {
        super(database, brokers, topic);
    }

    private record Event(
            UUID userId,
            @Nullable UUID companyId,
            String changeReason,
            List<Assignment> activeAssignments,
            long version) {

        void check(String key) {
            require(userId.toString().equals(key), "UserId");
            require(version >= 1, "Version");
            switch (changeReason) {
                case "AssignmentGranted", "AssignmentRevoked", "AssignmentExpired", "RolePermissionsChanged" -> {}
                default -> require(false, "ChangeReason");
            }
            activeAssignments.forEach(Assignment::check);
        }
    }

    private record Assignment(
            UUID assignmentId,
            UUID roleId,
            String roleCode,
            String scopeType,
            @Nullable UUID scopeOrganizationId,
            @Nullable UUID scopeProjectGroupId,
            @Nullable UUID scopeProjectId,
            @Nullable String expiresAt) {

        void check() {
            require(assignmentId != null && roleId != null, "an id");
            require(roleCode != null && !roleCode.isEmpty() && roleCode.indexOf(0) < 0, "RoleCode");
            switch (scopeType) {
                case "Platform" -> {}
                case "Organization" -> require(scopeOrganizationId != null, "the scope");
                case "ProjectGroup" -> require(scopeOrganizationId != null && scopeProjectGroupId != null, "the scope");
                case "Project" -> require(scopeOrganizationId != null && scopeProjectId != null, "the scope");
                default -> require(false, "ScopeType");
            }
            if (expiresAt != null) {
                OffsetDateTime.parse(expiresAt);
            }
        }
    }

    /** A user's row, on its way from what was read to what is written. */
    private static final class Row {

        private final long revision;
        private final Map<String, Long> versions;
        private final Map<String, List<String>> messageIds;
        private @Nullable Event last;

        Row(long revision, Map<String, Long> versions, Map<String, List<String>> messageIds) {
            this.revision = revision;
            this.versions = versions;
            this.messageIds = messageIds;
        }

        /** @return whether the event is applied, and not stale or a duplicate */
        boolean apply(Event event, String source, String messageId) {
            var present = versions.get(source);
            if (present != null && event.version() < present) {
                return false;
            }
            if (present == null || event.version() > present) {
                messageIds.put(source, new ArrayList<>(List.of(messageId)));
            } else {
                var ids = messageIds.computeIfAbsent(source, any -> new ArrayList<>());
                if (ids.contains(messageId)) {
                    return false;
                }
                ids.add(messageId);
                if (ids.size() > MOST_MESSAGE_IDS) {
                    ids.remove(0);
                }
            }
            versions.put(source, event.version());
            last = event;
            return true;
        }
    }

    @Override
    BatchWriter writer(Connection connection) throws SQLException {
        return new Writer(connection);
    }

    private static final class Writer implements BatchWriter {

        private final PreparedStatement read;
        private final PreparedStatement write;
        private final PreparedStatement roleChanges;

        Writer(Connection connection) throws SQLException {
            read = connection.prepareStatement("select user_id, versions, message_ids, revision"
                    + " from access_cache.user_access where user_id = any (cast(? as uuid[]))");
            write = connection.prepareStatement(text("access/cache/write-access.sql"));
            roleChanges = connection.prepareStatement(text("access/cache/write-role-changes.sql"));
        }

        @Override
        public void write(List<Received> records) throws SQLException {
            try {
                var keys = new ArrayList<String>(records.size());
                for (var record : records) {
                    keys.add(new String(record.key(), StandardCharsets.UTF_8));
                }
                var rows = rows(keys);
                var roles = new TreeMap<UUID, Long>();
                for (int i = 0; i < records.size(); i++) {
                    apply(records.get(i), keys.get(i), rows, roles);
                }
                writeRoles(roles);
                rows.values().removeIf(row -> row.last == null);
                writeUsers(rows);
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        private static void apply(Received record, String key, Map<String, Row> rows, Map<UUID, Long> roles)
                throws IOException {
            var headers = record.headers();
            require("pin.identity.user-access-changed".equals(header(headers, "EventType")), "EventType");
            OffsetDateTime.parse(header(headers, "CreatedAt"));
            Event event = EVENT.readValue(record.value());
            event.check(key);
            var source = header(headers, "VersionSource");
            boolean applied = rows.computeIfAbsent(key, any -> new Row(0, new TreeMap<>(), new TreeMap<>()))
                    .apply(
                            event,
                            source,
                            UUID.fromString(header(headers, "MessageId")).toString());
            if (applied && source.startsWith("role:")) {
                roles.merge(UUID.fromString(source.substring(5)), event.version(), Math::max);
            }
        }

        private Map<String, Row> rows(List<String> keys) throws SQLException, JsonProcessingException {
            var rows = new HashMap<String, Row>(keys.size() * 2);
            read.setObject(1, keys.toArray(String[]::new)); // as text: nobody has to make UUIDs of them
            try (var row = read.executeQuery()) {
                while (row.next()) {
                    rows.put(
                            row.getString(1),
                            new Row(
                                    row.getLong(4),
                                    VERSIONS.readValue(row.getString(2)),
                                    MESSAGE_IDS.readValue(row.getString(3))));
                }
            }
            return rows;
        }

        private void writeUsers(Map<String, Row> rows) throws SQLException, JsonProcessingException {
            int size = rows.size();
            var ids = new UUID[size];
            var companies = new UUID[size];
            var assignments = new String[size];
            var versions = new String[size];
            var messageIds = new String[size];
            var revisions = new long[size];
            int i = 0;
            for (var row : rows.values()) {
                ids[i] = row.last.userId();
                companies[i] = row.last.companyId();
                assignments[i] = WRITER.writeValueAsString(row.last.activeAssignments());
                versions[i] = WRITER.writeValueAsString(row.versions);
                messageIds[i] = WRITER.writeValueAsString(row.messageIds);
                revisions[i++] = row.revision;
            }
            write.setObject(1, ids);
            write.setObject(2, companies);
            write.setObject(3, assignments);
            write.setObject(4, versions);
            write.setObject(5, messageIds);
            write.setObject(6, new boolean[size]);
            write.setObject(7, revisions);
            int written = 0;
            try (var row = write.executeQuery()) {
                while (row.next()) {
                    written++;
                }
            }
            // Whoever was overtaken begins the batch again; there is nobody who would.
            require(written == size, "a row was overtaken");
        }

        private void writeRoles(Map<UUID, Long> roles) throws SQLException {
            if (!roles.isEmpty()) {
                roleChanges.setObject(1, roles.keySet().toArray(UUID[]::new));
                roleChanges.setObject(
                        2, roles.values().stream().mapToLong(Long::longValue).toArray());
                roleChanges.executeUpdate();
            }
        }

        @Override
        public void close() throws SQLException {
            read.close();
            write.close();
            roleChanges.close();
        }
    }

    private static String header(Headers headers, String name) {
        return new String(headers.lastHeader(name).value(), StandardCharsets.UTF_8);
    }

    private static void require(boolean right, String what) {
        if (!right) {
            throw new IllegalStateException("not by hand: " + what);
        }
    }
}
