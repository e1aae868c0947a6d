package processors.news;

/** The type of an author (spec news-identity-users.md, "Маппинг enum"). The names are the table's. */
public enum PostAuthorType {
    Investor,
    DeveloperManager,
    Agent,
    PinEmployee,
    AgencyManager;

    /** Whether the source's UserType has this very name: only then is the mapping certain. */
    static boolean knows(String userType) {
        return switch (userType) {
            case "Investor", "DeveloperManager", "Agent", "PinEmployee" -> true;
            default -> false;
        };
    }

    /** By name; PartnerManager, and whatever the source will add, is the nearest that there is (REP-09). */
    static PostAuthorType of(String userType) {
        return knows(userType) ? valueOf(userType) : AgencyManager;
    }
}
