package processors.identity;

/** What is done page by page in the background, by one instance at a time. */
public enum AccessJob {
    /** Publishes the snapshots of users whom others have announced. */
    ANNOUNCEMENTS(1),
    /** Moves assignments whose end has come to Expired. */
    EXPIRY(2),
    /** Revokes what is left of archived roles. */
    ROLE_ARCHIVALS(3),
    /** Deletes what is kept no longer. */
    RETENTION(4);

    private final int number;

    AccessJob(int number) {
        this.number = number;
    }

    /** The job's lock; it must never change, for instances of two versions run side by side. */
    public int number() {
        return number;
    }

    /** As routes and metrics name it. */
    public String label() {
        return name().toLowerCase(java.util.Locale.ROOT).replace('_', '-');
    }
}
