package bench;

import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import java.io.IOException;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import processors.identity.AccessChangeReason;
import processors.identity.UserAccessChanged;
import processors.identity.UserAccessChanged.ActiveRoleAssignment;

/**
 * One worker by hand: the statements, locks, fences, page size and serialiser of the routes, on one connection, without
 * Camel. One pass over the rows builds the events; nothing is allocated that need not be.
 */
final class HandWrittenFanOut {

    private static final int BATCH = 500;
    private static final ObjectWriter JSON = JsonMapper.builder()
            .addModule(new JavaTimeModule())
            .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
            .build()
            .writerFor(UserAccessChanged.class);

    private HandWrittenFanOut() {}

    /** Leases the next task and walks it to its end. */
    static void run(DataSource database) throws SQLException, IOException {
        try (var connection = database.getConnection()) {
            connection.setAutoCommit(true);
            UUID task;
            UUID role;
            long version;
            int attempt;
            OffsetDateTime expires;
            try (var lease = connection.prepareStatement("""
                            update identity.access_fanout_tasks t set status = 'InProgress',
                                lease_expires_at = clock_timestamp() + interval '5 minutes', attempt_count = attempt_count + 1,
                                started_at = coalesce(started_at, clock_timestamp()), updated_at = clock_timestamp()
                            where t.id = (select n.id from identity.access_fanout_tasks n where n.status in ('Pending', 'InProgress')
                                and n.attempt_count < 5
                                and (n.status = 'Pending' or coalesce(n.lease_expires_at, '-infinity') <= clock_timestamp())
                                order by n.created_at, n.id limit 1 for update skip locked)
                            returning id, role_id, role_version, attempt_count, lease_expires_at""");
                    var leased = lease.executeQuery()) {
                leased.next();
                task = leased.getObject(1, UUID.class);
                role = leased.getObject(2, UUID.class);
                version = leased.getLong(3);
                attempt = leased.getInt(4);
                expires = leased.getObject(5, OffsetDateTime.class);
            }
            connection.setAutoCommit(false);
            var correlation = UUID.randomUUID();
            try (var page = connection.prepareStatement("""
                            select array_agg(p.user_id order by p.user_id)::text, count(*),
                                   (array_agg(p.user_id order by p.user_id desc))[1]
                            from (select distinct a.user_id from identity.role_assignments a
                                  where a.role_id = ? and a.status = 'Active' and a.user_id > ?
                                  order by a.user_id limit ?) p""");
                    var lock = connection.prepareStatement("select identity.lock_access(cast(? as uuid[]))");
                    var load = connection.prepareStatement("""
                            select u.id, i.company_id, a.id, a.role_id, r.code, a.scope_type, a.scope_organization_id,
                                   a.scope_project_group_id, a.scope_project_id, a.expires_at
                            from unnest(cast(? as uuid[])) as u (id)
                            left join identity.users i on i.id = u.id
                            left join identity.role_assignments a on a.user_id = u.id and a.status = 'Active'
                            left join identity.role_definitions r on r.id = a.role_id
                            order by u.id, a.id""");
                    var append = connection.prepareStatement("""
                            insert into identity.outbox (user_id, correlation_id, version_source, payload)
                            select e.user_id, ?, ?, e.payload
                            from unnest(cast(? as uuid[]), cast(? as bytea[])) with ordinality
                                     as e (user_id, payload, position)
                            order by e.position""");
                    var checkpoint = connection.prepareStatement("""
                            update identity.access_fanout_tasks t
                            set cursor = coalesce(?, t.cursor), processed_count = t.processed_count + ?,
                                status = case when ? then 'Completed' else t.status end,
                                completed_at = case when ? then clock_timestamp() end,
                                lease_expires_at = case when ? then null else clock_timestamp() + interval '5 minutes' end,
                                updated_at = clock_timestamp()
                            where t.id = ? and t.status = 'InProgress' and t.attempt_count = ? and t.lease_expires_at = ?
                            returning lease_expires_at""")) {
                var cursor = new UUID(0, 0);
                boolean last = false;
                while (!last) {
                    page.setObject(1, role);
                    page.setObject(2, cursor);
                    page.setInt(3, BATCH);
                    String users;
                    int size;
                    UUID lastUser;
                    try (var row = page.executeQuery()) {
                        row.next();
                        users = row.getString(1);
                        size = row.getInt(2);
                        lastUser = row.getObject(3, UUID.class);
                    }
                    last = size < BATCH;
                    if (size > 0) {
                        publish(lock, load, append, users, size, version, "role:" + role, correlation);
                        cursor = lastUser;
                    }
                    expires = checkpoint(checkpoint, lastUser, size, last, task, attempt, expires);
                    connection.commit();
                }
            }
        }
    }

    private static void publish(
            PreparedStatement lock,
            PreparedStatement load,
            PreparedStatement append,
            String users,
            int size,
            long version,
            String versionSource,
            UUID correlation)
            throws SQLException, IOException {
        lock.setString(1, users);
        lock.execute();
        load.setString(1, users);
        var ids = new UUID[size];
        var payloads = new byte[size][];
        int n = 0;
        try (var row = load.executeQuery()) {
            UUID user = null;
            UUID company = null;
            List<ActiveRoleAssignment> assignments = new ArrayList<>();
            while (row.next()) {
                var next = row.getObject(1, UUID.class);
                if (!next.equals(user)) {
                    if (user != null) {
                        ids[n] = user;
                        payloads[n++] = event(user, company, assignments, version);
                    }
                    user = next;
                    company = row.getObject(2, UUID.class);
                    assignments = new ArrayList<>();
                }
                var assignment = row.getObject(3, UUID.class);
                if (assignment != null) {
                    assignments.add(new ActiveRoleAssignment(
                            assignment,
                            row.getObject(4, UUID.class),
                            row.getString(5),
                            row.getString(6),
                            row.getObject(7, UUID.class),
                            row.getObject(8, UUID.class),
                            row.getObject(9, UUID.class),
                            row.getObject(10, OffsetDateTime.class)));
                }
            }
            ids[n] = user;
            payloads[n] = event(user, company, assignments, version);
        }
        append.setObject(1, correlation);
        append.setString(2, versionSource);
        append.setObject(3, ids);
        append.setObject(4, payloads);
        append.executeUpdate();
    }

    private static byte[] event(UUID user, @Nullable UUID company, List<ActiveRoleAssignment> assignments, long version)
            throws IOException {
        return JSON.writeValueAsBytes(
                new UserAccessChanged(user, company, AccessChangeReason.RolePermissionsChanged, assignments, version));
    }

    private static OffsetDateTime checkpoint(
            PreparedStatement checkpoint,
            @Nullable UUID lastUser,
            int size,
            boolean last,
            UUID task,
            int attempt,
            OffsetDateTime expires)
            throws SQLException {
        checkpoint.setObject(1, lastUser, java.sql.Types.OTHER);
        checkpoint.setInt(2, size);
        checkpoint.setBoolean(3, last);
        checkpoint.setBoolean(4, last);
        checkpoint.setBoolean(5, last);
        checkpoint.setObject(6, task);
        checkpoint.setInt(7, attempt);
        checkpoint.setObject(8, expires);
        try (var row = checkpoint.executeQuery()) {
            if (!row.next()) {
                throw new IllegalStateException("lease lost");
            }
            return row.getObject(1, OffsetDateTime.class);
        }
    }
}
