package sql.identity;

import java.time.OffsetDateTime;
import java.util.UUID;
import org.apache.camel.component.sql.DefaultRowMapperFactory;
import org.springframework.jdbc.core.RowMapper;
import processors.operator.Expected;
import processors.operator.Lane;
import processors.operator.ParkedRow;
import processors.operator.Task;
import processors.operator.Totals;

/** Makes records of what the statements in {@code operator/} find, by position. */
public final class OperatorRows extends DefaultRowMapperFactory {

    private static final RowMapper<Totals> TOTALS = (row, number) -> new Totals(
            row.getObject(1, OffsetDateTime.class),
            row.getLong(2),
            row.getLong(3),
            row.getLong(4),
            row.getLong(5),
            row.getObject(6, OffsetDateTime.class),
            row.getLong(7),
            row.getLong(8));

    private static final RowMapper<Task> TASK = (row, number) -> new Task(
            Task.State.valueOf(row.getString(1)),
            row.getObject(2, UUID.class),
            row.getObject(3, UUID.class),
            row.getString(4),
            row.getInt(5),
            row.getLong(6),
            row.getObject(7, OffsetDateTime.class),
            row.getObject(8, OffsetDateTime.class),
            row.getObject(9, OffsetDateTime.class));

    private static final RowMapper<Expected> EXPECTED =
            (row, number) -> new Expected(row.getObject(1, UUID.class), row.getLong(2), row.getBoolean(3));

    private static final RowMapper<Lane> LANE = (row, number) -> new Lane(
            row.getInt(1),
            row.getObject(2, UUID.class),
            row.getBoolean(3),
            row.getBoolean(4),
            row.getObject(5, OffsetDateTime.class),
            row.getLong(6),
            row.getObject(7, OffsetDateTime.class));

    private static final RowMapper<ParkedRow> PARKED =
            (row, number) -> new ParkedRow(row.getLong(1), row.getObject(2, OffsetDateTime.class), row.getString(3));

    @Override
    public RowMapper<?> newBeanRowMapper(Class<?> mappedClass) {
        if (mappedClass == Totals.class) {
            return TOTALS;
        } else if (mappedClass == Task.class) {
            return TASK;
        } else if (mappedClass == Expected.class) {
            return EXPECTED;
        } else if (mappedClass == Lane.class) {
            return LANE;
        } else if (mappedClass == ParkedRow.class) {
            return PARKED;
        }
        return super.newBeanRowMapper(mappedClass);
    }
}
