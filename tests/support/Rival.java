package tests.support;

import static org.awaitility.Awaitility.await;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** Somebody else's transaction, which holds what it has locked until it ends. */
public final class Rival implements AutoCloseable {

    private final Connection connection;

    /** Begins it, as the superuser, with these statements. */
    public Rival(String database, String... statements) throws SQLException {
        connection = TestSystem.stack().superuser(database);
        connection.setAutoCommit(false);
        try (var statement = connection.createStatement()) {
            for (var sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** Returns when somebody waits for it. */
    public void awaitWaiting() {
        // Of locks a transaction sees the present ones; of activities those that it has seen first.
        await().atMost(Duration.ofSeconds(60)).until(() -> {
            try (var statement = connection.createStatement();
                    var result = statement.executeQuery("select exists (select from pg_locks where not granted and"
                            + " pg_backend_pid() = any (pg_blocking_pids(pid)))")) {
                result.next();
                return result.getBoolean(1);
            }
        });
    }

    public void commit() throws SQLException {
        connection.commit();
    }

    /** Rolls back what was not committed; the server may have ended it before. */
    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
