package processors.access;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Writes as the parallel arrays that the statements take, and rows as the statements give them back.
 *
 * <p>No record: Camel hashes the object of every method that it calls, and this one is a whole batch.
 */
public final class AccessRows {

    private static final ObjectMapper JSON = new ObjectMapper();

    private final List<UserAccess> users;
    private final Map<UUID, Long> roles;

    private AccessRows(List<UserAccess> users, Map<UUID, Long> roles) {
        this.users = users;
        this.roles = roles;
    }

    /** A row that was written: nobody had written it since it was read. */
    public record Written(UUID userId) {}

    static AccessRows of(List<UserAccess> writes, Map<UUID, Long> roles) {
        return new AccessRows(writes, roles);
    }

    public UUID[] ids() {
        return users.stream().map(UserAccess::userId).toArray(UUID[]::new);
    }

    public @Nullable UUID[] companyIds() {
        return users.stream().map(UserAccess::companyId).toArray(UUID[]::new);
    }

    public @Nullable String[] assignments() {
        return texts(UserAccess::assignments);
    }

    public String[] versions() {
        return texts(AccessRows::versions);
    }

    public String[] messageIds() {
        return texts(AccessRows::messageIds);
    }

    public boolean[] rolesChangedLast() {
        var flags = new boolean[users.size()];
        for (int i = 0; i < flags.length; i++) {
            flags[i] = users.get(i).roleChangedLast();
        }
        return flags;
    }

    /** As they were read. */
    public long[] revisions() {
        return users.stream().mapToLong(UserAccess::revision).toArray();
    }

    public UUID[] roleIds() {
        return roles.keySet().toArray(UUID[]::new);
    }

    public long[] roleVersions() {
        return roles.values().stream().mapToLong(Long::longValue).toArray();
    }

    /**
     * The two columns of a row together.
     *
     * @param versions a JSON object: the version of each source
     * @param messageIds a JSON object: the MessageIds of each source; null or without a source where nobody has kept them
     * @throws IllegalStateException if {@code versions} is not what this version writes
     */
    public static Map<String, Progress> sources(String versions, @Nullable String messageIds) {
        var sources = new TreeMap<String, Progress>();
        try {
            var ids = messageIds == null ? null : JSON.readTree(messageIds);
            JSON.readTree(versions)
                    .properties()
                    .forEach(source -> sources.put(
                            source.getKey(),
                            new Progress(
                                    source.getValue().asLong(), uuids(ids == null ? null : ids.get(source.getKey())))));
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("access_cache.user_access.versions is not JSON", e);
        }
        return sources;
    }

    private static List<UUID> uuids(@Nullable JsonNode array) {
        var uuids = new ArrayList<UUID>();
        if (array != null) {
            array.forEach(id -> uuids.add(UUID.fromString(id.asText())));
        }
        return uuids;
    }

    private static String versions(UserAccess user) {
        var json = JsonNodeFactory.instance.objectNode();
        user.sources().forEach((source, progress) -> json.put(source, progress.version()));
        return json.toString();
    }

    private static String messageIds(UserAccess user) {
        var json = JsonNodeFactory.instance.objectNode();
        user.sources().forEach((source, progress) -> {
            var ids = json.putArray(source);
            progress.messageIds().forEach(id -> ids.add(id.toString()));
        });
        return json.toString();
    }

    private String[] texts(Function<UserAccess, @Nullable String> column) {
        return users.stream().map(column).toArray(String[]::new);
    }

    /** By identity, as {@link Decision}. */
    @Override
    public int hashCode() {
        return System.identityHashCode(this);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return this == other;
    }
}
