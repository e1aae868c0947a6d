package processors.consuming;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Predicate;

/**
 * A batch that the database may refuse because of one record (cases.md 28): first all of it, then quarters of what was
 * refused, in their order, until the record stands alone. Finding one among n takes about 4 log4(n) further tries that
 * together write the batch less than twice.
 */
public final class Parts<T> {

    private static final int QUARTERS = 4;

    private final Deque<List<T>> open = new ArrayDeque<>();

    public Parts(List<T> batch) {
        if (!batch.isEmpty()) {
            open.add(batch);
        }
    }

    public boolean isOpen() {
        return !open.isEmpty();
    }

    /** The part to try next. */
    public List<T> next() {
        return open.removeFirst();
    }

    /** A record to try next, alone: another form of one that was refused. */
    public void tryNext(T record) {
        open.addFirst(List.of(record));
    }

    /**
     * The part was refused, and the database says why: if there are other records, they are tried without the suspects,
     * and then these.
     *
     * @return whether the part is divided
     */
    public boolean divide(List<T> part, Predicate<T> suspect) {
        var suspects = part.stream().filter(suspect).toList();
        if (suspects.isEmpty() || suspects.size() == part.size()) {
            return false;
        }
        open.addFirst(suspects);
        open.addFirst(part.stream().filter(suspect.negate()).toList());
        return true;
    }

    /**
     * The part was refused, and nothing of it is stored.
     *
     * @return whether it was a single record: then that record is what the database refuses
     */
    public boolean refuse(List<T> part) {
        if (part.size() == 1) {
            return true;
        }
        int size = (part.size() + QUARTERS - 1) / QUARTERS;
        for (int from = (part.size() - 1) / size * size; from >= 0; from -= size) {
            open.addFirst(part.subList(from, Math.min(part.size(), from + size)));
        }
        return false;
    }
}
