package processors.consuming;

import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** A batch whose records the database may refuse one by one. */
public interface PartedBatch<T> {

    Parts<T> parts();

    /**
     * The database has refused the data of a part: a record that stood alone is a dead letter, a larger part is divided.
     *
     * @param sqlState of class 22 or 23
     * @param row the key of the row that was refused; null where the database does not tell
     */
    void refuse(List<T> part, String sqlState, @Nullable UUID row);

    /** What has to go to the dead-letter topic. */
    List<DeadLetter> deadLetters();
}
