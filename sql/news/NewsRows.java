package sql.news;

import java.util.Map;
import java.util.UUID;
import org.apache.camel.component.sql.DefaultRowMapperFactory;
import org.springframework.jdbc.core.RowMapper;
import processors.news.ReplicaRows.Mark;
import processors.news.ReplicaRows.Version;
import processors.news.ReplicaRows.Written;

/** Makes records of rows, by position: what an endpoint's {@code outputClass} names. */
public final class NewsRows extends DefaultRowMapperFactory {

    private static final Map<Class<?>, RowMapper<?>> MAPPERS = Map.of(
            Mark.class, (row, n) -> new Mark(row.getString(1)),
            Version.class, (row, n) -> new Version(row.getObject(1, UUID.class), row.getLong(2)),
            Written.class, (row, n) -> new Written(row.getObject(1, UUID.class)));

    @Override
    public RowMapper<?> newBeanRowMapper(Class<?> mappedClass) {
        var mapper = MAPPERS.get(mappedClass);
        return mapper != null ? mapper : super.newBeanRowMapper(mappedClass);
    }
}
