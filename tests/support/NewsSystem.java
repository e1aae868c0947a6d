package tests.support;

import java.sql.SQLException;
import java.util.Map;
import java.util.Properties;
import java.util.UUID;

/** The news context for one test: a topic of users' events with three partitions, and the author replica. */
public final class NewsSystem extends ConsumerSystem {

    public static final int PARTITIONS = 3;

    public NewsSystem() {
        super("news", PARTITIONS);
    }

    @Override
    public Properties migration(String database) {
        return TestSystem.stack().newsSettings(database);
    }

    @Override
    void createUser(String database) throws SQLException {
        TestSystem.stack().createNewsUser(database);
    }

    @Override
    Map<String, String> topics() {
        return Map.of(
                "news.replica.topic", topic(),
                "news.replica.group", group(),
                "news.replica.dlq-topic", deadLetterTopic());
    }

    public Map<String, Object> row(UUID user) {
        return sql().queryForMap("select * from news.author_replicas where id = ?", user);
    }

    public long rows() {
        return sql().queryForObject("select count(*) from news.author_replicas", Long.class);
    }

    public long marks() {
        return sql().queryForObject("select count(*) from news.processed_messages", Long.class);
    }
}
