package bench;

import app.Settings;
import demo.EmbeddedStack;
import java.sql.SQLException;
import java.util.Properties;
import java.util.UUID;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import tests.support.AccessChange;
import tests.support.AccessChange.Assignment;
import tests.support.EventRecord;

/** Access events from Kafka to the cache: half of them are a role's, the others grants; three assignments each. */
final class CacheBench extends ConsumerBench {

    private static final UUID AGENT = UUID.randomUUID();
    private static final UUID MANAGER = UUID.randomUUID();
    private static final UUID EDITOR = UUID.randomUUID();

    private String stored = "";

    CacheBench(EmbeddedStack stack) throws Exception {
        super(stack, "bench_cache", "access-cache");
    }

    @Override
    Properties settings(EmbeddedStack stack, String database) {
        var settings = stack.accessCacheSettings(database);
        settings.setProperty("access-cache.topic", "bench.access"); // identity's own holds whatever was measured before
        return settings;
    }

    @Override
    void createUser(EmbeddedStack stack, String database) throws SQLException {
        stack.createAccessCacheUser(database);
    }

    @Override
    Settings.Consumer consumer(Settings settings) {
        return settings.accessCache();
    }

    @Override
    Settings.Database database(Settings settings) {
        return settings.accessCacheDatabase();
    }

    @Override
    HandWrittenConsumer byHand(DataSource database, String brokers, String topic) {
        return new HandWrittenCache(database, brokers, topic);
    }

    @Override
    EventRecord<?> event(int n) {
        Assignment[] assignments = Stream.of(
                        Assignment.of(AGENT, "agent"),
                        Assignment.of(MANAGER, "developer-manager").until("2027-03-01T10:20:30.123456Z"),
                        Assignment.of(EDITOR, "catalog-editor"))
                .toArray(Assignment[]::new);
        return n % 2 == 0
                // A role's version rises with each of its fan-outs.
                ? AccessChange.ofRole(user(n), AGENT, 1 + n / 50_000, assignments)
                : AccessChange.ofAssignments(user(n), 1 + n, assignments);
    }

    @Override
    String tables() {
        return "access_cache.user_access, access_cache.role_changes";
    }

    @Override
    String handledMetric() {
        return "access_cache_consume_duration_ms";
    }

    /** Both sides, and every run, must store the same, to the last MessageId. */
    @Override
    void check(JdbcTemplate sql) {
        var now = sql.queryForObject(
                "select count(*) filter (where state = 'Fresh') || ' ' || sum(hashtextextended(concat(user_id, company_id,"
                        + " assignments, versions, message_ids), 0)) || ' ' || (select max(version) from"
                        + " access_cache.role_changes) from access_cache.user_access",
                String.class);
        if (stored.isEmpty()) {
            stored = now;
        }
        if (!now.equals(stored) || !now.startsWith(USERS + " ")) {
            throw new IllegalStateException("stored is " + now + ", and was " + stored);
        }
    }
}
