package processors.identity;

/**
 * How large the next page of a job is: halved after each failure, so that a page which is too much for a time-out gets
 * through in the end, and doubled again after each success. What fails alone, and not for a reason that passes, is passed
 * over for the rest of the run: nobody behind it has to wait.
 *
 * @param mostRows in a page, when nothing fails
 * @param rows in the next page
 * @param skip how many are passed over
 * @param failures in a row
 */
public record JobPaging(int mostRows, int rows, int skip, int failures) {

    public static JobPaging upTo(int mostRows) {
        return new JobPaging(mostRows, mostRows, 0, 0);
    }

    public JobPaging succeeded() {
        return new JobPaging(mostRows, Math.min(mostRows, rows * 2), skip, 0);
    }

    /** After a failure that passes by itself. */
    public JobPaging failed() {
        return new JobPaging(mostRows, Math.max(1, rows / 2), skip, failures + 1);
    }

    /** After a failure that would come again. */
    public JobPaging refused() {
        return rows == 1 ? new JobPaging(mostRows, 1, skip + 1, 1) : failed();
    }

    /** Whether there may be more behind a page of this size. */
    public static boolean isFull(int size, int rows) {
        return size >= rows;
    }

    /** Whether there may be more behind such a page, of which somebody else may hold a part. */
    public static boolean goesOn(int size, int changed, int rows) {
        return isFull(size, rows) && changed > 0;
    }
}
