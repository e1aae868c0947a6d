package bench;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import javax.sql.DataSource;
import processors.consuming.Received;
import processors.news.Decision;
import processors.news.ReplicaBatch;
import processors.news.ReplicaRows;

/** The author replica by hand, with the decisions and statements of the routes. */
final class HandWrittenReplica extends HandWrittenConsumer {

    HandWrittenReplica(DataSource database, String brokers, String topic) {
        super(database, brokers, topic);
    }

    @Override
    BatchWriter writer(Connection connection) throws SQLException {
        return new Writer(connection);
    }

    private static final class Writer implements BatchWriter {

        private final PreparedStatement marks;
        private final PreparedStatement versions;
        private final PreparedStatement rows;
        private final PreparedStatement newMarks;

        Writer(Connection connection) throws SQLException {
            marks = connection.prepareStatement(text("news/replica/select-marks.sql"));
            versions = connection.prepareStatement(text("news/replica/select-versions.sql"));
            rows = connection.prepareStatement(text("news/replica/write-replicas.sql"));
            newMarks = connection.prepareStatement(text("news/replica/insert-marks.sql"));
        }

        @Override
        public void write(List<Received> records) throws SQLException {
            var batch = ReplicaBatch.of(records);
            while (batch.isOpen()) {
                marks.setObject(1, batch.keys());
                var seen = new ArrayList<ReplicaRows.Mark>();
                try (var row = marks.executeQuery()) {
                    while (row.next()) {
                        seen.add(new ReplicaRows.Mark(row.getString(1)));
                    }
                }
                batch.filterDuplicates(seen);
                batch.check();
                versions.setObject(1, batch.userIds());
                var present = new ArrayList<ReplicaRows.Version>();
                try (var row = versions.executeQuery()) {
                    while (row.next()) {
                        present.add(new ReplicaRows.Version(row.getObject(1, UUID.class), row.getLong(2)));
                    }
                }
                batch.compare(present);
                while (batch.parts().isOpen()) {
                    var decision = batch.decide(batch.parts().next());
                    batch.settle(decision, write(decision));
                }
            }
            newMarks.setObject(1, batch.newMarks());
            newMarks.executeUpdate();
        }

        private List<ReplicaRows.Written> write(Decision decision) throws SQLException {
            var columns = decision.rows();
            rows.setObject(1, columns.upserts().ids());
            rows.setObject(2, columns.upserts().displayNames());
            rows.setObject(3, columns.upserts().types());
            rows.setObject(4, columns.upserts().companyIds());
            rows.setObject(5, columns.upserts().statuses());
            rows.setObject(6, columns.upserts().versions());
            rows.setObject(7, columns.upserts().syncedAts());
            rows.setObject(8, columns.blocks().ids());
            rows.setObject(9, columns.blocks().versions());
            rows.setObject(10, columns.blocks().syncedAts());
            var written = new ArrayList<ReplicaRows.Written>();
            try (var row = rows.executeQuery()) {
                while (row.next()) {
                    written.add(new ReplicaRows.Written(row.getObject(1, UUID.class)));
                }
            }
            return written;
        }

        @Override
        public void close() throws SQLException {
            marks.close();
            versions.close();
            rows.close();
            newMarks.close();
        }
    }
}
