package tests.support;

import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;

/** The access cache of one service for one test: a topic of access events, and the cache. */
public final class CacheSystem extends ConsumerSystem {

    public static final int PARTITIONS = 6;

    public CacheSystem() {
        super("cache", PARTITIONS);
    }

    @Override
    public Properties migration(String database) {
        return TestSystem.stack().accessCacheSettings(database);
    }

    @Override
    void createUser(String database) throws SQLException {
        TestSystem.stack().createAccessCacheUser(database);
    }

    @Override
    Map<String, String> topics() {
        return Map.of(
                "access-cache.topic", topic(),
                "access-cache.group", group(),
                "access-cache.dlq-topic", deadLetterTopic());
    }

    /** The row of a user. */
    public Map<String, Object> row(UUID user) {
        return sql().queryForMap("select * from access_cache.user_access where user_id = ?", user);
    }

    public String state(UUID user) {
        return (String) row(user).get("state");
    }

    /** The codes of the roles that readers see, in their order; null where identity must be asked. */
    public String roleCodes(UUID user) {
        return sql().query(
                        "select (select string_agg(a ->> 'RoleCode', ' ') from jsonb_array_elements(assignments) a)"
                                + " from access_cache.current_access where user_id = ?",
                        row -> row.next() ? (row.getString(1) == null ? "" : row.getString(1)) : null,
                        user);
    }

    public long rows() {
        return sql().queryForObject("select count(*) from access_cache.user_access", Long.class);
    }
}
