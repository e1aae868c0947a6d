package processors.identity;

import org.jspecify.annotations.Nullable;

/**
 * How large the next page of a job is: halved after each failure, so that a page which is too much for a time-out gets
 * through in the end, and doubled again after each success. What fails alone, and not for a reason that passes, is passed
 * over for the rest of the run: nobody behind it has to wait.
 *
 * @param mostRows in a page, when nothing fails
 * @param rows in the next page
 * @param subject whose pages these are; null where a job has one list only
 * @param skip how many of the subject are passed over
 * @param failures in a row for which it helps to wait; 0 to go on at once
 */
public record JobPaging(int mostRows, int rows, @Nullable Object subject, int skip, int failures) {

    /** By then half a minute has passed: a time-out that still comes to one row alone will not pass. */
    private static final int STUCK = 12;

    public static JobPaging upTo(int mostRows) {
        return new JobPaging(mostRows, mostRows, null, 0, 0);
    }

    /** The same for a page of this subject: what is passed over of another one has no meaning here. */
    public JobPaging about(Object subject) {
        return subject.equals(this.subject) ? this : new JobPaging(mostRows, rows, subject, 0, failures);
    }

    public JobPaging succeeded() {
        return new JobPaging(mostRows, Math.min(mostRows, rows * 2), subject, skip, 0);
    }

    /**
     * After a failure that passes by itself.
     *
     * @param chosen how many rows the page had; 0 if it was not even read, as in an outage
     */
    public JobPaging failed(int chosen) {
        return isAlone(chosen) && failures >= STUCK ? passedOver() : smaller(chosen, failures + 1);
    }

    /** After a failure that would come again: of a smaller page it is found out at once. */
    public JobPaging refused(int chosen) {
        return isAlone(chosen) ? passedOver() : smaller(chosen, chosen == 0 ? failures + 1 : 0);
    }

    private boolean isAlone(int chosen) {
        return chosen == 1 || (chosen > 0 && rows == 1);
    }

    private JobPaging smaller(int chosen, int failures) {
        int halved = (chosen == 0 ? rows : Math.min(rows, chosen)) / 2;
        return new JobPaging(mostRows, Math.max(1, halved), subject, skip, failures);
    }

    private JobPaging passedOver() {
        return new JobPaging(mostRows, 1, subject, skip + 1, 1);
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
