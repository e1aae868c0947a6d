package processors.identity;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.UUID;

/**
 * Announcements that are published in one transaction.
 *
 * @param rows in id order
 */
public record AnnouncementPage(List<PendingAnnouncement> rows) {

    private static final int MOST_CAUSES = 10;

    public static AnnouncementPage of(List<PendingAnnouncement> rows) {
        return new AnnouncementPage(rows);
    }

    public int size() {
        return rows.size();
    }

    /** For the statements that delete what was published. */
    public long[] ids() {
        return rows.stream().mapToLong(PendingAnnouncement::id).toArray();
    }

    /** Everybody concerned: they are locked all at once, whatever is published in which order afterwards. */
    public Page holders() {
        var users = new LinkedHashSet<UUID>();
        rows.forEach(row -> users.add(row.userId()));
        return Page.of(users);
    }

    /**
     * What to publish, in this order: one event per user, transaction and reason, a user's events in the order in which
     * they were announced. A user is in one announcement once, so whoever was announced n times is in n of them; of more than
     * {@value #MOST_CAUSES} causes that have gathered for one user, the last ones stand for all: each would say the same.
     */
    public List<Announcement> announcements(UUID correlationId) {
        record Cause(UUID userId, String transactionId, AccessChangeReason reason) {}
        record Round(int number, AccessChangeReason reason) {}

        var causes = new LinkedHashSet<Cause>();
        rows.forEach(row -> causes.add(new Cause(row.userId(), row.transactionId(), row.reason())));
        var left = new HashMap<UUID, Integer>();
        causes.forEach(cause -> left.merge(cause.userId(), 1, Integer::sum));
        var roundsOfUser = new HashMap<UUID, Integer>();
        var users = new LinkedHashMap<Round, List<UUID>>();
        for (var cause : causes) {
            if (left.merge(cause.userId(), -1, Integer::sum) < MOST_CAUSES) {
                int round = roundsOfUser.merge(cause.userId(), 1, Integer::sum);
                users.computeIfAbsent(new Round(round, cause.reason()), r -> new ArrayList<>())
                        .add(cause.userId());
            }
        }
        return users.entrySet().stream()
                .sorted(Comparator.comparingInt(round -> round.getKey().number()))
                .map(round -> Announcement.ofAssignments(
                        Page.of(round.getValue()), round.getKey().reason(), correlationId))
                .toList();
    }
}
