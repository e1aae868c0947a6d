package sql.access;

import java.util.Map;
import java.util.UUID;
import org.apache.camel.component.sql.DefaultRowMapperFactory;
import org.springframework.jdbc.core.RowMapper;
import processors.access.AccessRows;
import processors.access.UserAccess;

/** Makes records of rows, by position: what an endpoint's {@code outputClass} names. */
public final class AccessCacheRows extends DefaultRowMapperFactory {

    private static final Map<Class<?>, RowMapper<?>> MAPPERS = Map.of(
            UserAccess.class,
            (row, n) -> new UserAccess(
                    row.getObject(1, UUID.class),
                    row.getObject(2, UUID.class),
                    null,
                    AccessRows.sources(row.getString(3), row.getString(4)),
                    row.getBoolean(5),
                    row.getLong(6)),
            AccessRows.Written.class,
            (row, n) -> new AccessRows.Written(row.getObject(1, UUID.class)));

    @Override
    public RowMapper<?> newBeanRowMapper(Class<?> mappedClass) {
        var mapper = MAPPERS.get(mappedClass);
        return mapper != null ? mapper : super.newBeanRowMapper(mappedClass);
    }
}
