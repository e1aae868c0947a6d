package sql.identity;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.camel.component.sql.DefaultRowMapperFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.RowMapper;
import processors.identity.AccessChangeReason;
import processors.identity.AssignmentHolders;
import processors.identity.AssignmentRow;
import processors.identity.FanOutObserver.QueueMeasure;
import processors.identity.GrantOutcome;
import processors.identity.JobObserver.AnnouncementMeasure;
import processors.identity.Lane;
import processors.identity.Lease;
import processors.identity.OutboxRow;
import processors.identity.Page;
import processors.identity.PendingAnnouncement;
import processors.identity.RelayObserver.OutboxMeasure;
import processors.identity.Role;
import processors.identity.RoleArchival;
import processors.identity.RolePermissions;
import processors.identity.UserVersion;
import processors.identity.Watermarks;

/**
 * Makes records of rows: what an endpoint's {@code outputClass} names. By position, and without reflection or a map for
 * each row: half of a page's rows are read here. The columns stand in the statements beside this file.
 */
public final class IdentityRows extends DefaultRowMapperFactory {

    private static final Map<Class<?>, RowMapper<?>> MAPPERS = Map.ofEntries(
            rows(Lease.class, IdentityRows::lease),
            rows(Page.class, row -> new Page(row.getString(1), row.getInt(2), uuid(row, 3))),
            rows(AssignmentRow.class, IdentityRows::assignment),
            rows(UserVersion.class, row -> new UserVersion(required(row, 1), row.getLong(2))),
            rows(Role.class, row -> new Role(required(row, 1), row.getString(2), row.getLong(3), row.getString(4))),
            rows(
                    RolePermissions.class,
                    row -> new RolePermissions(
                            List.of((String[]) row.getArray(1).getArray()))),
            rows(GrantOutcome.class, row -> new GrantOutcome(row.getBoolean(1), row.getBoolean(2), row.getBoolean(3))),
            rows(AssignmentHolders.class, IdentityRows::holders),
            rows(RoleArchival.class, row -> new RoleArchival(required(row, 1), required(row, 2))),
            rows(PendingAnnouncement.class, IdentityRows::announcement),
            rows(AnnouncementMeasure.class, row -> new AnnouncementMeasure(row.getLong(1), row.getDouble(2))),
            rows(OutboxRow.class, IdentityRows::outbox),
            rows(Lane.class, row -> new Lane(row.getInt(1), row.getLong(2), row.getBoolean(3))),
            rows(
                    Watermarks.Look.class,
                    row -> new Watermarks.Look(
                            row.getObject(1, OffsetDateTime.class),
                            row.getObject(2, Long.class),
                            row.getObject(3, Long.class))),
            rows(QueueMeasure.class, row -> new QueueMeasure(row.getLong(1), row.getLong(2), row.getDouble(3))),
            rows(OutboxMeasure.class, row -> new OutboxMeasure(row.getLong(1), row.getDouble(2), row.getLong(3))));

    /** What makes one record of one row. */
    private interface Reader<T> {
        T read(ResultSet row) throws SQLException;
    }

    private static <T> Map.Entry<Class<?>, RowMapper<?>> rows(Class<T> type, Reader<T> reader) {
        RowMapper<T> mapper = (row, number) -> reader.read(row);
        return Map.entry(type, mapper);
    }

    @Override
    public RowMapper<?> newBeanRowMapper(Class<?> mappedClass) {
        var mapper = MAPPERS.get(mappedClass);
        return mapper != null ? mapper : super.newBeanRowMapper(mappedClass);
    }

    private static Lease lease(ResultSet row) throws SQLException {
        return new Lease(
                required(row, 1),
                required(row, 2),
                uuid(row, 3),
                row.getLong(4),
                row.getString(5),
                uuid(row, 6),
                row.getInt(7),
                row.getInt(8),
                time(row, 9),
                row.getObject(10, OffsetDateTime.class),
                row.getObject(11, OffsetDateTime.class));
    }

    private static AssignmentRow assignment(ResultSet row) throws SQLException {
        return new AssignmentRow(
                required(row, 1),
                uuid(row, 2),
                uuid(row, 3),
                uuid(row, 4),
                row.getString(5),
                row.getString(6),
                uuid(row, 7),
                uuid(row, 8),
                uuid(row, 9),
                time(row, 10));
    }

    private static OutboxRow outbox(ResultSet row) throws SQLException {
        return new OutboxRow(
                row.getLong(1),
                required(row, 2),
                required(row, 3),
                required(row, 4),
                row.getString(5),
                row.getString(6),
                row.getObject(7, OffsetDateTime.class),
                row.getBytes(8),
                row.getBytes(9));
    }

    private static AssignmentHolders holders(ResultSet row) throws SQLException {
        var unknown = row.getArray(2);
        return new AssignmentHolders(
                row.getString(1), unknown == null ? List.of() : List.of((UUID[]) unknown.getArray()));
    }

    private static PendingAnnouncement announcement(ResultSet row) throws SQLException {
        return new PendingAnnouncement(
                row.getLong(1), required(row, 2), AccessChangeReason.valueOf(row.getString(3)), row.getString(4));
    }

    private static UUID required(ResultSet row, int column) throws SQLException {
        return row.getObject(column, UUID.class);
    }

    private static @Nullable UUID uuid(ResultSet row, int column) throws SQLException {
        return row.getObject(column, UUID.class);
    }

    private static @Nullable OffsetDateTime time(ResultSet row, int column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class);
    }
}
