package processors.identity;

/**
 * How large the next page of a job is: halved after each failure, so that a page which is too much for a time-out gets
 * through in the end, and doubled again after each success.
 *
 * @param mostRows in a page, when nothing fails
 * @param rows in the next page
 * @param failures in a row
 */
public record JobPaging(int mostRows, int rows, int failures) {

    public static JobPaging upTo(int mostRows) {
        return new JobPaging(mostRows, mostRows, 0);
    }

    public JobPaging succeeded() {
        return new JobPaging(mostRows, Math.min(mostRows, rows * 2), 0);
    }

    public JobPaging failed() {
        return new JobPaging(mostRows, Math.max(1, rows / 2), failures + 1);
    }

    /** Whether there may be more behind a page of this size. */
    public static boolean isFull(int size, int rows) {
        return size >= rows;
    }
}
