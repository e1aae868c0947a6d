package app.db;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.namedparam.NamedParameterJdbcTemplate;

/** Runs statements of {@code sql/} outside of routes: for commands, and for what happens when no route runs any more. */
public final class Statements {

    private final NamedParameterJdbcTemplate jdbc;

    public Statements(DataSource database) {
        this.jdbc = new NamedParameterJdbcTemplate(database);
    }

    /**
     * @param statement the file below {@code sql/}, without its ending
     * @return the number of changed rows
     */
    public int update(String statement, Map<String, ?> parameters) {
        return jdbc.update(text(statement), parameters);
    }

    public List<Map<String, Object>> query(String statement, Map<String, ? extends @Nullable Object> parameters) {
        return jdbc.queryForList(text(statement), parameters);
    }

    private static String text(String statement) {
        var resource = "/sql/" + statement + ".sql";
        try (var in = Objects.requireNonNull(Statements.class.getResourceAsStream(resource), resource)) {
            // A parameter is :name here, and :#name where a route shares the statement.
            return new String(in.readAllBytes(), StandardCharsets.UTF_8).replace(":#", ":");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
