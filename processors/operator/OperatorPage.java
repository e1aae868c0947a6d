package processors.operator;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import processors.operator.Html.Column;
import processors.operator.Task.State;

/**
 * The operator's page, of what is on the desk: what needs somebody first, then everything. It needs no script and nothing from
 * elsewhere. There is no assignment, no permission and nobody's data in it (EVT-11), for there is none in a {@link View}.
 */
public final class OperatorPage {

    /** Nothing but the page itself: its own style, and the empty picture that keeps a browser from asking for one. */
    public static final String CONTENT_SECURITY_POLICY = "default-src 'none'; style-src " + Style.source()
            + "; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

    private static final int RELOAD_SECONDS = 5;
    /** FAN-20: a role is finished within it. */
    private static final Duration MOST_LAG = Duration.ofMinutes(5);

    private static final int MOST_RECORDS = 1_000;
    /** EVT-12: whatever waits longer makes every consumer late. */
    private static final Duration MOST_WAIT = Duration.ofMinutes(1);

    /** A role's id tells it apart; a name that would fill the page need not. */
    private static final int MOST_CODE = 120;

    private final View view;
    /** Ages are counted up to the look: what was seen long ago did not grow older since. */
    private final OffsetDateTime at;

    private final Html html = new Html();

    private OperatorPage(View view) {
        this.view = view;
        this.at = view.identity() == null || view.identity().look() == null
                ? view.at()
                : view.identity().look().at();
    }

    public static String html(View view) {
        return new OperatorPage(view).page();
    }

    private String page() {
        var concerns = concerns();
        html.open("html", "lang", "en")
                .open("head")
                .open("meta", "charset", "utf-8")
                .open("meta", "name", "viewport", "content", "width=device-width, initial-scale=1")
                .open("meta", "name", "color-scheme", "content", "light dark");
        if (!view.paused()) {
            html.open("meta", "http-equiv", "refresh", "content", isIncomplete() ? 1 : RELOAD_SECONDS);
        }
        html.open("link", "rel", "icon", "href", "data:,")
                .element("title", (concerns.isEmpty() ? "" : "(" + concerns.size() + ") ") + "Access routes")
                .style(Style.CSS)
                .close("head")
                .open("body");
        header();
        html.open("main");
        attention(concerns);
        if (view.identity() != null) {
            identity(view.identity());
        }
        consumers();
        readiness();
        return html.close("main").close("body").close("html").toString();
    }

    private void header() {
        html.open("header").element("h1", "Access routes").open("p", "class", "quiet");
        html.element("time", Times.utc(view.at()), "datetime", Times.iso(view.at()));
        if (view.paused()) {
            html.text(" · paused · ").element("a", "Go on", "href", "?");
        } else {
            html.text(" · reloads every " + RELOAD_SECONDS + "\u00a0s · ").element("a", "Pause", "href", "?pause");
        }
        html.close("p").close("header");
    }

    /** Whether something is still being asked for the first time: the page comes again sooner then. */
    private boolean isIncomplete() {
        var identity = view.identity();
        return view.checks() == null || (identity != null && identity.look() == null && identity.failure() == null);
    }

    private void attention(List<String> concerns) {
        html.open("section", "class", concerns.isEmpty() ? null : "wrong", "aria-labelledby", "attention");
        if (!concerns.isEmpty()) {
            html.element("h2", "Needs somebody", "id", "attention").open("ul");
            concerns.forEach(concern -> html.element("li", concern));
            html.close("ul");
        } else if (isIncomplete()) {
            html.element("h2", "Looking", "id", "attention")
                    .element("p", "Not everything has answered yet.", "class", "quiet");
        } else {
            html.element("h2", "Nothing needs you", "id", "attention")
                    .element("p", "No failure, nothing parked, nobody late.", "class", "quiet");
        }
        html.close("section");
    }

    private List<String> concerns() {
        var concerns = new ArrayList<String>();
        var identity = view.identity();
        if (identity != null && identity.failure() != null) {
            concerns.add("PostgreSQL does not answer: " + identity.failure()
                    + (identity.look() == null
                            ? ""
                            : ". What stands below was seen " + Times.words(identity.age()) + " ago"));
        }
        if (view.checks() != null) {
            view.checks().stream()
                    .filter(check -> !check.up())
                    .forEach(check -> concerns.add("Not ready: " + check.message()));
        }
        if (identity != null && identity.look() != null && identity.failure() == null) {
            concerns.addAll(concerns(identity.look()));
        }
        for (var consumer : view.consumers()) {
            if (consumer.late()) {
                concerns.add(consumer.name() + " is late: " + seconds(consumer.lateSeconds())
                        + " from an event to its commit");
            }
            if (consumer.deadLetters() > 0) {
                concerns.add(consumer.name() + " has sent dead letters since this process began: "
                        + number(consumer.deadLetters()));
            }
            if (consumer.missed() > 0) {
                concerns.add(consumer.name() + " may have missed records");
            }
        }
        view.groups().stream()
                .filter(group -> group.records() > MOST_RECORDS)
                .forEach(group ->
                        concerns.add(group.group() + " is behind: " + number(group.records()) + " records to read"));
        return concerns;
    }

    private List<String> concerns(Look look) {
        var concerns = new ArrayList<String>();
        var totals = look.totals();
        if (totals.failed() > 0) {
            concerns.add("Failed tasks: " + counted(totals.failed()));
        }
        if (totals.parked() > 0) {
            concerns.add("Parked events, which Kafka can never take: " + counted(totals.parked()));
        }
        look.lanes().stream()
                .filter(lane -> !lane.held())
                .forEach(lane -> concerns.add("Lane " + lane.number() + " is published by nobody"));
        look.tasks(State.WAITING).stream()
                .filter(task -> isLonger(task.createdAt(), MOST_LAG))
                .findFirst()
                .ifPresent(task -> concerns.add("A task has been waiting for a worker for " + age(task.createdAt())));
        look.waitingSince()
                .filter(since -> isLonger(since, MOST_WAIT))
                .ifPresent(since -> concerns.add("Events have been waiting for Kafka for " + age(since)));
        if (totals.announcedSince() != null && isLonger(totals.announcedSince(), MOST_WAIT)) {
            concerns.add("Announcements have been waiting for " + age(totals.announcedSince()));
        }
        return concerns;
    }

    private void identity(View.Identity identity) {
        var look = identity.look();
        if (look == null) {
            html.open("section", "aria-labelledby", "tasks")
                    .element("h2", "Fan-out tasks and relay", "id", "tasks")
                    .element("p", "Not known.", "class", "quiet")
                    .close("section");
            return;
        }
        totals(look);
        html.open("section", "aria-labelledby", "tasks").element("h2", "Fan-out tasks", "id", "tasks");
        running(look, identity);
        waiting(look);
        failed(look);
        completed(look);
        html.close("section");
        html.open("section", "aria-labelledby", "relay").element("h2", "Relay", "id", "relay");
        lanes(look);
        parked(look);
        html.close("section");
    }

    private void totals(Look look) {
        var totals = look.totals();
        html.open("section", "aria-label", "Totals").open("dl");
        total("Tasks running", counted(totals.running()), null);
        total("Tasks waiting", counted(totals.waiting()), null);
        total("Tasks failed", counted(totals.failed()), null);
        total("Events for Kafka", counted(look.events()), look.waitingSince().orElse(null));
        total("Parked events", counted(totals.parked()), null);
        total("Announcements", counted(totals.announcements()), totals.announcedSince());
        total("Archiving roles", counted(totals.archivals()), null);
        html.close("dl").close("section");
    }

    private void total(String name, String value, @Nullable OffsetDateTime oldest) {
        html.open("div").element("dt", name).open("dd").text(value);
        if (oldest != null) {
            html.element("small", "oldest " + age(oldest));
        }
        html.close("dd").close("div");
    }

    private void running(Look look, View.Identity identity) {
        var tasks = look.tasks(State.RUNNING);
        if (tasks.isEmpty()) {
            html.element("p", "No task is being worked on.", "class", "quiet");
            return;
        }
        html.table(
                "Running",
                List.<Column<Task>>of(
                        new Column<>("Role", OperatorPage::role),
                        new Column<>(
                                "Progress",
                                (cell, task) ->
                                        progress(cell, task, identity.progress().get(task.id()))),
                        new Column<>(
                                "Rate",
                                (cell, task) ->
                                        cell.text(rate(identity.progress().get(task.id())))),
                        new Column<>(
                                "Expected end",
                                (cell, task) ->
                                        end(cell, task, identity.progress().get(task.id()))),
                        new Column<>("Attempt", (cell, task) -> cell.text(task.attempt())),
                        new Column<>("Queued", this::queued)),
                tasks);
    }

    private static void role(Html cell, Task task) {
        cell.text(task.roleCode() == null ? "without a code" : cut(task.roleCode()))
                .element("small", "role " + task.roleId())
                .element("small", "task " + task.id());
    }

    private static String cut(String code) {
        int end = code.codePointCount(0, code.length()) > MOST_CODE ? code.offsetByCodePoints(0, MOST_CODE) : -1;
        return end < 0 ? code : code.substring(0, end) + "…";
    }

    private static void progress(Html cell, Task task, @Nullable Progress progress) {
        if (progress == null || progress.expected() == null) {
            cell.text(number(task.processed()) + " users");
            return;
        }
        var label = number(task.processed()) + " of " + (progress.more() ? "more than " : "")
                + number(progress.expected()) + " users";
        var id = "progress-" + task.id();
        cell.element("label", label, "for", id)
                .element(
                        "progress",
                        "",
                        "id",
                        id,
                        "max",
                        Math.max(1, progress.expected()),
                        "value",
                        // A role without users is done as soon as it is begun.
                        progress.expected() == 0 ? 1 : task.processed());
    }

    private static String rate(@Nullable Progress progress) {
        if (progress == null) {
            return "not known";
        }
        if (progress.perSecond() == null) {
            return "being measured";
        }
        return number(Math.round(progress.perSecond())) + " users/s";
    }

    private void end(Html cell, Task task, @Nullable Progress progress) {
        var end = progress == null ? null : progress.end(task, at);
        if (end == null) {
            cell.text("not known");
            return;
        }
        cell.text((progress.more() ? "later than in " : "in ") + Times.words(Duration.between(at, end)));
        cell.open("small")
                .element("time", Times.utc(end), "datetime", Times.iso(end))
                .close("small");
    }

    private void queued(Html cell, Task task) {
        time(cell, task.createdAt());
        if (task.startedAt() != null) {
            cell.element("small", "waited " + Times.words(Duration.between(task.createdAt(), task.startedAt())));
        }
    }

    private void waiting(Look look) {
        var tasks = look.tasks(State.WAITING);
        if (!tasks.isEmpty()) {
            html.table(
                    caption("Waiting for a worker", tasks, look.totals().waiting()),
                    List.<Column<Task>>of(
                            new Column<>("Role", OperatorPage::role),
                            new Column<>("Queued", (cell, task) -> time(cell, task.createdAt())),
                            new Column<>("Attempts so far", (cell, task) -> cell.text(task.attempt())),
                            new Column<>("Users so far", (cell, task) -> cell.text(number(task.processed())))),
                    tasks);
        }
    }

    private void failed(Look look) {
        var tasks = look.tasks(State.FAILED);
        if (!tasks.isEmpty()) {
            html.table(
                    caption("Failed", tasks, look.totals().failed()),
                    List.<Column<Task>>of(
                            new Column<>("Role", OperatorPage::role),
                            new Column<>("Failed", (cell, task) -> time(cell, task.changedAt())),
                            new Column<>("Attempts", (cell, task) -> cell.text(task.attempt())),
                            new Column<>("Users so far", (cell, task) -> cell.text(number(task.processed()))),
                            new Column<>(
                                    "To replay it", (cell, task) -> cell.element("code", "tasks replay " + task.id()))),
                    tasks);
        }
    }

    private void completed(Look look) {
        var tasks = look.tasks(State.COMPLETED);
        if (!tasks.isEmpty()) {
            html.table(
                    "Completed last",
                    List.<Column<Task>>of(
                            new Column<>("Role", OperatorPage::role),
                            new Column<>("Completed", (cell, task) -> time(cell, task.changedAt())),
                            new Column<>("Users", (cell, task) -> cell.text(number(task.processed()))),
                            new Column<>("From queueing", OperatorPage::lag)),
                    tasks);
        }
    }

    private static void lag(Html cell, Task task) {
        var lag = Duration.between(task.createdAt(), task.changedAt());
        cell.element("span", Times.words(lag), "class", lag.compareTo(MOST_LAG) > 0 ? "wrong" : null);
    }

    private void lanes(Look look) {
        html.table(
                "Lanes",
                List.<Column<Lane>>of(
                        new Column<>("Lane", (cell, lane) -> cell.text(lane.number())),
                        new Column<>("Publisher", OperatorPage::publisher),
                        new Column<>("Last heartbeat", (cell, lane) -> time(cell, lane.heardAt())),
                        new Column<>("Events", (cell, lane) -> cell.text(counted(lane.events()))),
                        new Column<>("Oldest", (cell, lane) -> time(cell, lane.waitingSince()))),
                look.lanes());
    }

    private static void publisher(Html cell, Lane lane) {
        if (!lane.held()) {
            cell.element("span", "nobody", "class", "wrong");
        } else {
            cell.text(lane.ours() ? "this instance" : "another instance");
        }
        if (lane.holder() != null) {
            cell.element("small", (lane.held() ? "" : "last ") + lane.holder());
        }
    }

    private void parked(Look look) {
        if (!look.parked().isEmpty()) {
            html.table(
                    caption("Parked events", look.parked(), look.totals().parked()),
                    List.<Column<ParkedRow>>of(
                            new Column<>("Row", (cell, row) -> cell.text(row.id())),
                            new Column<>("Reason", (cell, row) -> cell.text(row.reason())),
                            new Column<>("Parked", (cell, row) -> time(cell, row.since()))),
                    look.parked());
        }
    }

    private void consumers() {
        if (view.consumers().isEmpty() && view.groups().isEmpty()) {
            return;
        }
        html.open("section", "aria-labelledby", "consumers").element("h2", "Consumers", "id", "consumers");
        if (!view.consumers().isEmpty()) {
            html.table(
                    "Of this process; counts since it began",
                    List.<Column<ConsumerState>>of(
                            new Column<>("Consumer", (cell, consumer) -> consumer(cell, consumer)),
                            new Column<>("Longest delay of a minute", OperatorPage::delay),
                            new Column<>("Behind", (cell, consumer) -> cell.text(records(consumer.lag()))),
                            new Column<>("Dead letters", (cell, consumer) -> cell.text(number(consumer.deadLetters()))),
                            new Column<>("Retries", (cell, consumer) -> cell.text(number(consumer.retries()))),
                            new Column<>("Reads", this::reads)),
                    view.consumers());
        }
        if (!view.groups().isEmpty()) {
            html.table(
                    "Groups that read access events",
                    List.<Column<GroupLag>>of(
                            new Column<>("Group", (cell, group) -> cell.text(group.group())),
                            new Column<>("Behind", (cell, group) -> cell.text(records(group.records())))),
                    view.groups());
        }
        html.close("section");
    }

    private static void consumer(Html cell, ConsumerState consumer) {
        cell.text(consumer.name());
        if (!consumer.group().isEmpty()) {
            cell.element("small", "of " + consumer.group());
        }
    }

    private static void delay(Html cell, ConsumerState consumer) {
        cell.element(
                "span",
                consumer.delaySeconds() == 0 ? "no event" : seconds(consumer.delaySeconds()),
                "class",
                consumer.late() ? "wrong" : null);
    }

    /** What readiness says of the consumer itself; of its database and topics it speaks below. */
    private void reads(Html cell, ConsumerState consumer) {
        var answer = view.checks() == null
                ? null
                : view.checks().stream()
                        .filter(check -> check.name().equals(consumer.name() + "-consumer"))
                        .findFirst()
                        .orElse(null);
        if (answer == null) {
            cell.text("unknown");
        } else {
            cell.element("span", answer.up() ? "yes" : answer.message(), "class", answer.up() ? null : "wrong");
        }
    }

    private void readiness() {
        html.open("section", "aria-labelledby", "readiness").element("h2", "Readiness", "id", "readiness");
        if (view.checks() == null) {
            html.element("p", "Being asked.", "class", "quiet");
        } else {
            html.open("ul");
            for (var check : view.checks()) {
                html.open("li")
                        .text(check.name() + ": ")
                        .element("span", check.up() ? "up" : check.message(), "class", check.up() ? "quiet" : "wrong")
                        .close("li");
            }
            html.close("ul");
        }
        html.close("section");
    }

    private void time(Html cell, @Nullable OffsetDateTime time) {
        if (time == null) {
            cell.text("–");
            return;
        }
        cell.text(age(time) + " ago")
                .open("small")
                .element("time", Times.utc(time), "datetime", Times.iso(time))
                .close("small");
    }

    private String age(OffsetDateTime since) {
        return Times.words(Duration.between(since, at));
    }

    private boolean isLonger(OffsetDateTime since, Duration most) {
        return Duration.between(since, at).compareTo(most) > 0;
    }

    private static String caption(String name, List<?> shown, long all) {
        return shown.size() < all ? name + ": the oldest " + shown.size() + " of " + counted(all) : name;
    }

    private static String counted(long count) {
        return count > OperatorDesk.BOUND ? number(OperatorDesk.BOUND) + "+" : number(count);
    }

    private static String records(double records) {
        return Double.isNaN(records) ? "unknown" : number(records) + " records";
    }

    private static String seconds(double seconds) {
        return Double.isNaN(seconds)
                ? "unknown"
                : seconds < 10
                        ? String.format(Locale.ROOT, "%.1f s", seconds)
                        : Times.words(Duration.ofSeconds((long) seconds));
    }

    private static String number(double value) {
        return Double.isNaN(value) ? "unknown" : String.format(Locale.ROOT, "%,.0f", value);
    }
}
