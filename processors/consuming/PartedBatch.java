package processors.consuming;

import java.util.List;

/** A batch whose records the database may refuse one by one. */
public interface PartedBatch<T> {

    Parts<T> parts();

    /**
     * The database has refused the data of a part: a record that stood alone is a dead letter, a larger part is divided.
     *
     * @param sqlState of class 22 or 23
     */
    void refuse(List<T> part, String sqlState);
}
