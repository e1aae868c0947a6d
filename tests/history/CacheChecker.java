package tests.history;

import static java.util.stream.Collectors.toMap;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import tests.history.Checker.Violation;
import tests.history.History.Cached;
import tests.history.History.Event;
import tests.history.History.Held;
import tests.history.History.Published;

/** Decides whether one access cache keeps the promises of consumers, while it runs and at rest. */
final class CacheChecker {

    private final History history;
    private final Cached cache;
    private final Map<UUID, Event> eventByMessage;
    private final List<Violation> violations = new ArrayList<>();

    private CacheChecker(History history, Cached cache) {
        this.history = history;
        this.cache = cache;
        eventByMessage = history.events().stream().collect(toMap(Event::messageId, event -> event));
    }

    static List<Violation> check(History history, Cached cache) {
        var checker = new CacheChecker(history, cache);
        checker.everythingItEverHeld();
        checker.atRest();
        return checker.violations;
    }

    /**
     * What a user's rows say was applied, until now, and of that what was committed last: whatever was revoked by then is
     * missing in that event. Records come again and are dropped, so nothing that is applied is older than this.
     */
    private void everythingItEverHeld() {
        var lastApplied = new HashMap<UUID, Event>();
        for (var held : cache.written()) {
            for (var message : held.messages()) {
                var event = eventByMessage.get(message);
                if (event == null || !event.user().equals(held.user())) {
                    violation(
                            "a cache applies only what was committed", "user " + held.user() + ", message " + message);
                } else {
                    lastApplied.merge(held.user(), event, (a, b) -> a.id() >= b.id() ? a : b);
                }
            }
            if (held.fresh()) {
                compare(held, lastApplied.get(held.user()));
            }
        }
    }

    private void compare(Held held, Event last) {
        if (last == null) {
            violation("a Fresh user is what the last applied event says", "user " + held.user() + " has no event");
            return;
        }
        var assignments = held.assignments();
        if (!last.assignments().containsAll(assignments)) {
            violation(
                    "no right is Fresh that was revoked before the last applied event",
                    "user " + held.user() + " holds " + difference(assignments, last.assignments())
                            + ", which event " + last.id() + " (" + last.source() + " v" + last.version()
                            + ") does not have any more");
        }
        if (!assignments.containsAll(last.assignments())) {
            violation(
                    "a Fresh user is what the last applied event says",
                    "user " + held.user() + " lacks " + difference(last.assignments(), assignments) + " of event "
                            + last.id());
        }
    }

    private void atRest() {
        var users = new LinkedHashSet<UUID>();
        history.records().stream().map(Published::user).forEach(users::add);
        users.addAll(cache.atRest().keySet());
        for (var user : users) {
            var held = cache.atRest().get(user);
            var rights = history.access().getOrDefault(user, Set.of());
            if (held == null) {
                violation("a cache knows every user of whom it was told", "user " + user);
            } else if (!held.fresh()) {
                // Without a VersionSource, whose rights are unknown must be asked for: that is no fault.
                if (cache.versionSource()) {
                    violation("every user is Fresh at rest", "user " + user);
                }
            } else if (!held.rights().equals(rights)) {
                violation(
                        "a Fresh user equals the database at rest",
                        "user " + user + " has " + rights + ", and is held with " + held.rights());
            }
        }
    }

    private void violation(String promise, String what) {
        violations.add(new Violation(promise, cache.name() + ": " + what));
    }

    private static Set<UUID> difference(Set<UUID> all, Set<UUID> without) {
        var rest = new LinkedHashSet<>(all);
        rest.removeAll(without);
        return rest;
    }
}
