package processors.news;

/** The status of an author (spec news-identity-users.md, "Маппинг enum"). The names are the table's. */
public enum AuthorStatus {
    Active,
    Blocked,
    Archived;

    static boolean knows(String userStatus) {
        return switch (userStatus) {
            case "Invited", "Active", "Blocked", "Archived" -> true;
            default -> false;
        };
    }

    /** Whatever the source will add is Blocked: closed when in doubt (REP-10). */
    static AuthorStatus of(String userStatus) {
        return switch (userStatus) {
            case "Invited", "Active" -> Active;
            case "Archived" -> Archived;
            default -> Blocked;
        };
    }
}
