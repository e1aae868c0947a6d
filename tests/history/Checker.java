package tests.history;

import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import tests.history.History.Checkpoint;
import tests.history.History.Event;
import tests.history.History.Published;
import tests.history.History.Right;

/** Decides whether a history keeps the promises. A pure function: the same history has the same violations. */
final class Checker {

    /** A promise that was broken. */
    record Violation(String promise, String what) {

        @Override
        public String toString() {
            return promise + ": " + what;
        }
    }

    private final History history;
    private final Map<UUID, Event> eventByMessage;
    private final Map<UUID, List<Published>> recordsOfUser = new LinkedHashMap<>();
    private final List<Violation> violations = new ArrayList<>();

    private Checker(History history) {
        this.history = history;
        eventByMessage = history.events().stream().collect(toMap(Event::messageId, event -> event));
        var partitionOfUser = new HashMap<UUID, Integer>();
        for (var record : history.records()) {
            recordsOfUser
                    .computeIfAbsent(record.user(), user -> new ArrayList<>())
                    .add(record);
            int partition = partitionOfUser.computeIfAbsent(record.user(), user -> record.partition());
            if (partition != record.partition()) {
                violation(
                        "one partition per user",
                        "user " + record.user() + " is on " + partition + " and " + record.partition());
            }
        }
    }

    static List<Violation> check(History history) {
        var checker = new Checker(history);
        checker.nothingForgotten();
        checker.nothingInvented();
        checker.inCommitOrder();
        checker.lastRecordIsTheDatabase();
        checker.nothingComesBack();
        checker.versionsNeverFall();
        checker.everyUserOfEveryTask();
        checker.onlyTheHolderOfTheLease();
        history.caches().forEach(cache -> checker.violations.addAll(CacheChecker.check(history, cache)));
        history.leftovers().forEach(left -> checker.violation("nothing is left behind", left));
        return checker.violations;
    }

    /** How many records came more than once. */
    static int duplicates(History history) {
        var seen = new HashSet<UUID>();
        return (int) history.records().stream()
                .filter(record -> !seen.add(record.messageId()))
                .count();
    }

    private void nothingForgotten() {
        var published = new HashSet<UUID>();
        history.records().forEach(record -> published.add(record.messageId()));
        for (var event : history.events()) {
            if (!published.contains(event.messageId())) {
                violation("every committed event is published", describe(event));
            }
        }
    }

    private void nothingInvented() {
        for (var record : history.records()) {
            var event = eventByMessage.get(record.messageId());
            if (event == null) {
                violation("no record of what was rolled back", "record " + describe(record));
            } else if (!event.assignments().equals(record.assignments())) {
                violation(
                        "a record is what was committed",
                        "record " + describe(record) + " of event " + describe(event));
            }
        }
    }

    /**
     * A user's records are the user's events, one after the other. A batch may come again after its publisher died, and then
     * goes on from where it came again: a batch that comes late, behind others, leaves a gap.
     */
    private void inCommitOrder() {
        var eventsOfUser = history.events().stream().collect(groupingBy(Event::user));
        recordsOfUser.forEach((user, records) -> {
            var events = eventsOfUser.getOrDefault(user, List.of());
            var positions = new HashMap<UUID, Integer>();
            for (int i = 0; i < events.size(); i++) {
                positions.put(events.get(i).messageId(), i);
            }
            int last = -1;
            int highest = -1;
            for (var record : records) {
                var position = positions.get(record.messageId());
                if (position == null) {
                    continue;
                }
                if (position > last + 1) {
                    violation(
                            "a user's records are in the order of the commits",
                            "user " + user + ": " + describe(record) + " comes after "
                                    + (last < 0
                                            ? "nothing"
                                            : "event " + events.get(last).id()) + ", and event "
                                    + events.get(last + 1).id() + " should");
                }
                last = position;
                highest = Math.max(highest, position);
            }
            if (last != highest) {
                violation(
                        "what comes last was committed last",
                        "user " + user + ": the last record is event "
                                + events.get(last).id() + ", and not "
                                + events.get(highest).id());
            }
        });
    }

    private void lastRecordIsTheDatabase() {
        history.access().forEach((user, rights) -> {
            var assignments = rights.stream().map(Right::assignment).collect(toSet());
            var records = recordsOfUser.get(user);
            var known = records == null
                    ? Set.<UUID>of()
                    : records.get(records.size() - 1).assignments();
            // Nobody was told of what a user had from the beginning, if it never changed.
            if (records != null && !known.equals(assignments)) {
                violation(
                        "the last record of every user equals the database",
                        "user " + user + " has " + assignments + ", and was last told " + known);
            }
        });
    }

    /** An assignment that was gone once is gone for good: nobody reactivates one here. */
    private void nothingComesBack() {
        recordsOfUser.forEach((user, records) -> {
            var seen = new HashSet<UUID>();
            var gone = new HashSet<UUID>();
            Set<UUID> before = Set.of();
            for (var record : records) {
                if (!seen.add(record.messageId())) {
                    continue;
                }
                for (var assignment : record.assignments()) {
                    if (gone.contains(assignment)) {
                        violation(
                                "a revoked right never comes back",
                                "user " + user + ": assignment " + assignment + " at " + describe(record));
                    }
                }
                for (var assignment : before) {
                    if (!record.assignments().contains(assignment)) {
                        gone.add(assignment);
                    }
                }
                before = record.assignments();
            }
        });
    }

    private void versionsNeverFall() {
        var highest = new HashMap<String, Long>();
        for (var event : history.events()) {
            var last = highest.merge(event.user() + " " + event.source(), event.version(), Math::max);
            // Two tasks of one role run at once, and the older one may reach a user later: consumers drop it.
            if (event.source().equals("assignment") && event.version() < last) {
                violation("versions of one source never fall", describe(event) + " after " + last);
            }
        }
    }

    private void everyUserOfEveryTask() {
        var tasks = new HashMap<String, Integer>();
        var finished = new LinkedHashMap<UUID, Checkpoint>();
        for (var checkpoint : history.checkpoints()) {
            if (finished.put(checkpoint.task(), checkpoint) == null) {
                tasks.merge(checkpoint.role() + " " + checkpoint.roleVersion(), 1, Integer::sum);
            }
        }
        var told = new HashMap<String, Integer>();
        for (var event : history.events()) {
            if (event.source().startsWith("role:")) {
                var change = event.source().substring("role:".length()) + " " + event.version();
                int times = told.merge(change + " " + event.user(), 1, Integer::sum);
                if (times > tasks.getOrDefault(change, 0)) {
                    violation(
                            "no page is repeated",
                            describe(event) + ", " + times + " times for " + tasks.getOrDefault(change, 0) + " tasks");
                }
            }
        }
        finished.forEach((task, end) -> {
            if (!end.status().equals("Completed")) {
                violation(
                        "every task is completed",
                        "task " + task + " is " + end.status() + ", attempt " + end.attempt());
                return;
            }
            var change = end.role() + " " + end.roleVersion();
            for (var user : history.holders().getOrDefault(end.role(), Set.of())) {
                if (told.getOrDefault(change + " " + user, 0) < tasks.get(change)) {
                    violation(
                            "every user of every completed task is told",
                            "user " + user + " of task " + task + ", role " + end.role() + " version "
                                    + end.roleVersion());
                }
            }
        });
    }

    /** Each page's events stand in the transaction of a checkpoint, and a run that was followed by another is silent. */
    private void onlyTheHolderOfTheLease() {
        var eventsOfTransaction = history.events().stream()
                .filter(event -> event.source().startsWith("role:"))
                .collect(groupingBy(Event::xid));
        var before = new HashMap<UUID, Checkpoint>();
        var runOfTask = new HashMap<UUID, UUID>();
        var runsOfTask = new HashMap<UUID, Set<UUID>>();
        var checkpointed = new HashSet<Long>();
        for (var checkpoint : history.checkpoints()) {
            var previous = before.put(checkpoint.task(), checkpoint);
            checkpointed.add(checkpoint.xid());
            int progress = checkpoint.processed() - (previous == null ? 0 : previous.processed());
            var page = eventsOfTransaction.getOrDefault(checkpoint.xid(), List.of());
            if (progress != page.size()) {
                violation(
                        "events and checkpoint are one",
                        describe(checkpoint) + ": " + progress + " users of progress, " + page.size() + " events");
            }
            if (previous != null && previous.status().equals("Completed")) {
                violation("a completed task stays as it is", describe(checkpoint));
            }
            for (var event : page) {
                var run = runOfTask.put(checkpoint.task(), event.correlationId());
                var runs = runsOfTask.computeIfAbsent(checkpoint.task(), task -> new HashSet<>());
                if (runs.add(event.correlationId())) {
                    continue;
                }
                if (!event.correlationId().equals(run)) {
                    violation(
                            "no effect of a worker that has lost its lease",
                            describe(checkpoint) + " by run " + event.correlationId() + " after run " + run);
                }
            }
        }
        for (var transaction : eventsOfTransaction.entrySet()) {
            if (!checkpointed.contains(transaction.getKey())) {
                violation(
                        "events and checkpoint are one",
                        "no checkpoint with " + describe(transaction.getValue().get(0)));
            }
        }
    }

    private void violation(String promise, String what) {
        violations.add(new Violation(promise, what));
    }

    private static String describe(Event event) {
        return "event " + event.id() + " (" + event.source() + " v" + event.version() + ", user " + event.user()
                + ", message " + event.messageId() + ")";
    }

    private @Nullable Long idOf(Published record) {
        var event = eventByMessage.get(record.messageId());
        return event == null ? null : event.id();
    }

    private String describe(Published record) {
        return record.partition() + "/" + record.offset() + " (event " + idOf(record) + ", message "
                + record.messageId() + ", user " + record.user() + ")";
    }

    private static String describe(Checkpoint checkpoint) {
        return "task " + checkpoint.task() + " attempt " + checkpoint.attempt() + " " + checkpoint.status() + " at "
                + checkpoint.processed();
    }
}
