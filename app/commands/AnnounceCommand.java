package app.commands;

import app.db.Statements;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * Tells everybody anew what some or all users may do now: it repairs parked events, and rebuilds consumers that were
 * offline for longer than the topic keeps records. The users are announced page by page; the running instances publish.
 */
@Command(
        name = "announce",
        description = {
            "Has the present access of users published again, by the instances that run.",
            "Pages wait until earlier events are gone, so that nobody's revoke stands behind them. It can be stopped at"
                    + " any time, and goes on with --after."
        },
        mixinStandardHelpOptions = true)
public final class AnnounceCommand extends IdentityCommand {

    /** So many announcements and events may be under way before the next page: a quarter of a second's work. */
    private static final int MOST_WAITING = 5_000;

    private static final int PAGE = 1_000;
    private static final long PAUSE_MILLIS = 100;
    private static final int PAUSES_BEFORE_A_WORD = 100;

    /** Whom to announce. */
    static final class Whom {

        @Option(names = "--user", arity = "1..*", paramLabel = "ID", description = "These users.")
        private @Nullable List<UUID> users;

        @Option(
                names = "--role",
                paramLabel = "ID",
                description = "Everybody who holds this role, or has ever held it.")
        private @Nullable UUID role;

        @Option(names = "--all", description = "All users, those who were deleted included.")
        private boolean all;
    }

    @ArgGroup(multiplicity = "1")
    private Whom whom;

    @Option(
            names = "--after",
            paramLabel = "USER_ID",
            description = "With --role or --all: go on after this user, whom a command before has printed last.")
    private @Nullable UUID after;

    @Override
    int run(Statements statements) throws InterruptedException {
        if (whom.users != null) {
            if (after != null) {
                err().println("--after goes with --role and --all only");
                return 2;
            }
            return announceUsers(statements, List.copyOf(whom.users));
        }
        return whom.role != null
                ? announcePages(statements, "identity/announcements/announce-role", Map.of("roleId", whom.role))
                : announcePages(statements, "identity/announcements/announce-all", Map.of());
    }

    private int announceUsers(Statements statements, List<UUID> users) {
        var literal = users.stream().map(UUID::toString).collect(Collectors.joining(",", "{", "}"));
        statements.query("identity/announcements/announce-users", Map.of("userIds", literal));
        out().println("announced " + users.stream().distinct().count() + " users");
        return 0;
    }

    private int announcePages(Statements statements, String statement, Map<String, UUID> parameters)
            throws InterruptedException {
        long announced = 0;
        while (true) {
            waitForRoom(statements);
            var page = new HashMap<String, @Nullable Object>(parameters);
            page.put("after", after);
            page.put("most", PAGE);
            var row = statements.query(statement, page).get(0);
            int users = (int) row.get("users");
            if (users > 0) {
                announced += users;
                after = (UUID) row.get("last_user_id");
                out().println("announced " + announced + " users, the last one is " + after);
                out().flush();
            }
            if (announced == 0 && whom.role != null && after == null) {
                err().println("role " + whom.role + " does not exist, or nobody has ever held it");
                return 1;
            }
            if (users < PAGE) {
                out().println("done: announced " + announced + " users");
                return 0;
            }
        }
    }

    private void waitForRoom(Statements statements) throws InterruptedException {
        for (int pauses = 0; waiting(statements) >= MOST_WAITING; pauses++) {
            if (pauses % PAUSES_BEFORE_A_WORD == PAUSES_BEFORE_A_WORD - 1) {
                err().println("waiting: events do not leave; does an instance run, and does it reach Kafka?");
                err().flush();
            }
            TimeUnit.MILLISECONDS.sleep(PAUSE_MILLIS);
        }
    }

    private static long waiting(Statements statements) {
        return (long) statements
                .query("identity/announcements/count-waiting", Map.of("most", MOST_WAITING))
                .get(0)
                .get("waiting");
    }
}
