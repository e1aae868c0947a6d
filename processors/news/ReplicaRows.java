package processors.news;

import java.util.List;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Writes as the parallel arrays that write-replicas.sql takes, and the rows that statements give back.
 *
 * <p>No record: Camel hashes the object of every method that it calls, and this one is a whole batch.
 */
public final class ReplicaRows {

    private final Upserts upserts;
    private final Blocks blocks;

    private ReplicaRows(Upserts upserts, Blocks blocks) {
        this.upserts = upserts;
        this.blocks = blocks;
    }

    public Upserts upserts() {
        return upserts;
    }

    public Blocks blocks() {
        return blocks;
    }

    /** A mark that is there. */
    public record Mark(String idempotencyKey) {}

    /** The version of a row that is there. */
    public record Version(UUID userId, long sourceVersion) {}

    /** A row that was written: its guard let it pass. */
    public record Written(UUID userId) {}

    static ReplicaRows of(List<ReplicaWrite> writes) {
        return new ReplicaRows(
                new Upserts(only(ReplicaWrite.Upsert.class, writes)),
                new Blocks(only(ReplicaWrite.Block.class, writes)));
    }

    /** Whole rows, column by column. */
    public static final class Upserts {

        private final List<ReplicaWrite.Upsert> writes;

        private Upserts(List<ReplicaWrite.Upsert> writes) {
            this.writes = writes;
        }

        public UUID[] ids() {
            return ReplicaRows.ids(writes);
        }

        public String[] displayNames() {
            return texts(writes, write -> write.event().displayName());
        }

        public String[] types() {
            return texts(writes, write -> write.event().type().name());
        }

        public @Nullable UUID[] companyIds() {
            return writes.stream().map(write -> write.event().companyId()).toArray(UUID[]::new);
        }

        public String[] statuses() {
            return texts(writes, write -> write.status().name());
        }

        public long[] versions() {
            return ReplicaRows.versions(writes);
        }

        public String[] syncedAts() {
            return ReplicaRows.syncedAts(writes);
        }
    }

    /** Blocks of rows that exist, column by column. */
    public static final class Blocks {

        private final List<ReplicaWrite.Block> writes;

        private Blocks(List<ReplicaWrite.Block> writes) {
            this.writes = writes;
        }

        public UUID[] ids() {
            return ReplicaRows.ids(writes);
        }

        public long[] versions() {
            return ReplicaRows.versions(writes);
        }

        public String[] syncedAts() {
            return ReplicaRows.syncedAts(writes);
        }
    }

    private static <W extends ReplicaWrite> List<W> only(Class<W> kind, List<ReplicaWrite> writes) {
        return writes.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    private static UUID[] ids(List<? extends ReplicaWrite> writes) {
        return writes.stream().map(ReplicaWrite::userId).toArray(UUID[]::new);
    }

    private static long[] versions(List<? extends ReplicaWrite> writes) {
        return writes.stream().mapToLong(ReplicaWrite::version).toArray();
    }

    private static String[] syncedAts(List<? extends ReplicaWrite> writes) {
        return texts(writes, write -> write.syncedAt().toString());
    }

    private static <W> String[] texts(List<? extends W> writes, Function<W, String> column) {
        return writes.stream().map(column).toArray(String[]::new);
    }
}
