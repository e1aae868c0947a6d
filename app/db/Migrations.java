package app.db;

import app.Settings;
import app.Settings.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import processors.failures.Failures;

/**
 * The schemas of the enabled contexts (OPS-03), by Flyway, each with a history of its own. Identity's own tables belong to
 * somebody else and are never touched; only where none of them exists, a stand-in may be created first.
 */
public final class Migrations {

    private static final Logger LOG = LoggerFactory.getLogger(Migrations.class);
    private static final List<String> IDENTITY_TABLES =
            List.of("users", "role_definitions", "role_permissions", "role_assignments");

    /** Any number will do, as long as every instance takes the same one. */
    private static final long MIGRATION_LOCK = 7_202_611_301_317L;

    private final Settings settings;

    public Migrations(Settings settings) {
        this.settings = settings;
    }

    /**
     * Brings the schemas up to date. Instances that start at once wait for each other; running it again changes nothing.
     *
     * @return how many migrations were applied
     * @throws MigrationFailedException with one line that says why
     */
    public int run() {
        int applied = 0;
        if (settings.identityEnabled()) {
            applied += locked(settings.migrationDatabase(), "identity", this::identity);
        }
        if (settings.newsEnabled()) {
            applied += locked(
                    settings.newsMigrationDatabase(),
                    "news",
                    (database, connection) -> migrate(database, "news", "news", "access_routes_history"));
        }
        if (settings.accessCacheEnabled()) {
            applied += locked(
                    settings.accessCacheMigrationDatabase(),
                    "access_cache",
                    (database, connection) ->
                            migrate(database, "access_cache", "access-cache", "access_routes_history"));
        }
        return applied;
    }

    private interface Migration {
        int run(Database database, Connection connection) throws SQLException;
    }

    private static int locked(Database database, String schema, Migration migration) {
        try (var connection = Databases.connect(database)) {
            // Flyway locks its history table, but two instances would still race for the schema and that table.
            lock(connection);
            int applied = migration.run(database, connection);
            LOG.info("{} schema is up to date, {} migrations applied", schema, applied);
            return applied;
        } catch (SQLException | FlywayException e) {
            throw new MigrationFailedException("migration of " + database + " failed: " + Failures.describe(e), e);
        }
    }

    private int identity(Database database, Connection connection) throws SQLException {
        int applied = 0;
        var present = identityTables(connection);
        if (present.isEmpty() && settings.standInTables()) {
            applied += migrate(database, "identity", "identity-stand-in", "access_routes_stand_in_history");
        } else if (!present.containsAll(IDENTITY_TABLES)) {
            var missing = new ArrayList<>(IDENTITY_TABLES);
            missing.removeAll(present);
            throw new MigrationFailedException("schema identity lacks the tables " + missing
                    + ": migrate where identity's own tables are"
                    + (settings.standInTables() ? "" : ", or allow db.migration.stand-in-tables=auto"));
        }
        return applied + migrate(database, "identity", "identity", "access_routes_history");
    }

    private static int migrate(Database database, String schema, String folder, String history) {
        return Flyway.configure()
                .dataSource(database.url(), database.user(), database.password())
                .locations("classpath:sql/migrations/" + folder)
                .defaultSchema(schema)
                .table(history)
                // The schema holds tables that are not ours; what came before our first migration is version 0.
                .baselineOnMigrate(true)
                .baselineVersion("0")
                .cleanDisabled(true)
                // Grants were a repeatable migration once.
                .ignoreMigrationPatterns("*:future", "repeatable:missing")
                // A trigger on a table in use waits for its writers, and everybody else would wait behind it.
                .jdbcProperties(Map.of("options", "-c lock_timeout=10s"))
                .load()
                .migrate()
                .migrationsExecuted;
    }

    private static void lock(Connection connection) throws SQLException {
        try (var lock = connection.prepareStatement("select pg_advisory_lock(?)")) {
            lock.setLong(1, MIGRATION_LOCK);
            lock.execute();
        }
    }

    private static List<String> identityTables(Connection connection) throws SQLException {
        var tables = new ArrayList<String>();
        try (var result = connection.getMetaData().getTables(null, "identity", "%", new String[] {"TABLE", "VIEW"})) {
            while (result.next()) {
                tables.add(result.getString("TABLE_NAME"));
            }
        }
        tables.retainAll(IDENTITY_TABLES);
        return tables;
    }

    /** The schema could not be brought up to date; the message is one line. */
    public static final class MigrationFailedException extends RuntimeException {

        MigrationFailedException(String message) {
            super(message);
        }

        MigrationFailedException(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
