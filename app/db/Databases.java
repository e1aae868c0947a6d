package app.db;

import app.Settings.Database;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.logging.Level;
import java.util.logging.Logger;

/** Connections as this application needs them (design.md, decisions 2 and 5). */
public final class Databases {

    /**
     * A frozen process keeps its session, and PostgreSQL does not notice. So the session itself ends what stands still in
     * a transaction, or what nobody reads; a statement or a lock that takes too long is given up and tried again.
     */
    private static final String SESSION_OPTIONS = "-c idle_in_transaction_session_timeout=10s -c tcp_user_timeout=15s"
            + " -c statement_timeout=60s -c lock_timeout=20s -c TimeZone=UTC";

    /** The driver prints some failures to standard error, besides throwing them to us, who say them. */
    private static final Logger DRIVER = Logger.getLogger("org.postgresql");

    static {
        DRIVER.setLevel(Level.OFF);
        // Hikari asks the server whether a connection lives before it hands it out, unless it was used just before. An
        // idle
        // instance would send as many of those as of its own statements; whoever gets a dead connection tries again
        // here.
        System.setProperty("com.zaxxer.hikari.aliveBypassWindowMs", "10000");
    }

    private Databases() {}

    /** A pool that starts without the database, waits for it, and hands out READ COMMITTED connections. */
    public static HikariDataSource pool(String name, Database database) {
        return pool(name, database, Duration.ofSeconds(3));
    }

    /** @param connectionTimeout how long to wait for a connection, at least 250 ms */
    public static HikariDataSource pool(String name, Database database, Duration connectionTimeout) {
        return new HikariDataSource(config(name, database, connectionTimeout));
    }

    /**
     * One connection for whoever only looks, beside the pool of those who work: it can write nothing, keeps nobody waiting, and
     * gives up after a second whatever is not found by then. It is closed while nobody looks.
     */
    public static HikariDataSource reader(String name, Database database) {
        var config = config(name, database, Duration.ofSeconds(1));
        config.setMaximumPoolSize(1);
        config.setMinimumIdle(0);
        config.setIdleTimeout(Duration.ofSeconds(30).toMillis());
        var driver = config.getDataSourceProperties();
        driver.setProperty("options", SESSION_OPTIONS + " -c statement_timeout=1s -c default_transaction_read_only=on");
        driver.setProperty("connectTimeout", "1");
        driver.setProperty("socketTimeout", "3");
        return new HikariDataSource(config);
    }

    private static HikariConfig config(String name, Database database, Duration connectionTimeout) {
        var config = new HikariConfig();
        config.setPoolName(name);
        config.setJdbcUrl(database.url());
        config.setUsername(database.user());
        config.setPassword(database.password());
        config.setMaximumPoolSize(database.poolSize());
        config.setMinimumIdle(2);
        config.setInitializationFailTimeout(-1);
        config.setConnectionTimeout(connectionTimeout.toMillis());
        config.setValidationTimeout(2_000);
        // Locking users and loading their snapshots are two statements, and the second must see what was committed
        // while
        // the first waited: never what the server's default isolation may say.
        config.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
        config.setDataSourceProperties(driver(name));
        return config;
    }

    /** A connection outside the pools, without their limits of time. */
    static Connection connect(Database database) throws SQLException {
        return DriverManager.getConnection(database.url(), database.user(), database.password());
    }

    /** What every connection of ours tells the driver, listening ones included. */
    static Properties driver(String name) {
        var properties = new Properties();
        properties.setProperty("ApplicationName", name);
        properties.setProperty("options", SESSION_OPTIONS);
        properties.setProperty("reWriteBatchedInserts", "true");
        properties.setProperty("connectTimeout", "3");
        properties.setProperty("socketTimeout", "70");
        properties.setProperty("tcpKeepAlive", "true");
        // Its details quote whole rows, and rows hold what no log may show (FAN-16, EVT-11).
        properties.setProperty("logServerErrorDetail", "false");
        return properties;
    }
}
