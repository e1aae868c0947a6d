package bench;

import app.Settings;
import demo.EmbeddedStack;
import java.sql.SQLException;
import java.util.Properties;
import javax.sql.DataSource;
import org.springframework.jdbc.core.JdbcTemplate;
import tests.support.EventRecord;
import tests.support.UserEvent;

/** Users' events from Kafka to the table: some of the newer versions are blocks. */
final class ReplicaBench extends ConsumerBench {

    ReplicaBench(EmbeddedStack stack) throws Exception {
        super(stack, "bench_news", "author-replica");
    }

    @Override
    Properties settings(EmbeddedStack stack, String database) {
        return stack.newsSettings(database);
    }

    @Override
    void createUser(EmbeddedStack stack, String database) throws SQLException {
        stack.createNewsUser(database);
    }

    @Override
    Settings.Consumer consumer(Settings settings) {
        return settings.authorReplica();
    }

    @Override
    Settings.Database database(Settings settings) {
        return settings.newsDatabase();
    }

    @Override
    HandWrittenConsumer byHand(DataSource database, String brokers, String topic) {
        return new HandWrittenReplica(database, brokers, topic);
    }

    @Override
    EventRecord<?> event(int n) {
        var user = user(n);
        if (n < USERS) {
            return UserEvent.upserted(user, 1, "First" + n, "Last" + n);
        }
        return n % 10 == 0 ? UserEvent.blocked(user, n) : UserEvent.upserted(user, n);
    }

    @Override
    String tables() {
        return "news.author_replicas, news.processed_messages";
    }

    @Override
    String handledMetric() {
        return "news_replica_consume_duration_ms";
    }

    @Override
    void check(JdbcTemplate sql) {
        long marks = sql.queryForObject("select count(*) from news.processed_messages", Long.class);
        if (marks != EVENTS) {
            throw new IllegalStateException(marks + " marks for " + EVENTS + " events");
        }
    }
}
