package app.db;

import java.util.Map;
import org.apache.camel.component.sql.DefaultRowMapperFactory;
import org.apache.camel.component.sql.RowMapperFactory;
import org.springframework.jdbc.core.RowMapper;

/** Makes records of rows for every context: the one whose package the record is in knows how. */
public final class ContextRows extends DefaultRowMapperFactory {

    private final Map<String, RowMapperFactory> byPackage;

    public ContextRows(Map<String, RowMapperFactory> byPackage) {
        this.byPackage = Map.copyOf(byPackage);
    }

    @Override
    public RowMapper<?> newBeanRowMapper(Class<?> mappedClass) {
        var context = byPackage.get(mappedClass.getPackageName());
        return context != null ? context.newBeanRowMapper(mappedClass) : super.newBeanRowMapper(mappedClass);
    }
}
