package tests.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tests.history.Checker.Violation;
import tests.history.History.Checkpoint;
import tests.history.History.Event;
import tests.history.History.Published;
import tests.history.History.Right;

/** The checker, on histories that are written down: one that keeps its promises, and one for each way of breaking them. */
@DisplayName("The checker of histories")
class CheckerTest {

    private static final UUID USER = id(1);
    private static final UUID ROLE = id(2);
    private static final UUID TASK = id(3);
    private static final UUID RUN = id(4);
    private static final UUID OTHER_RUN = id(5);
    private static final UUID KEPT = id(10);
    private static final UUID REVOKED = id(11);

    /** A grant, a revoke, and a task of one page; the record of the revoke came twice. */
    private static final List<Event> EVENTS =
            List.of(assignment(1, 1, KEPT, REVOKED), assignment(2, 2, KEPT), page(3, 100, RUN, KEPT));

    private static final List<Published> RECORDS = List.of(
            record(0, EVENTS.get(0)),
            record(1, EVENTS.get(1)),
            record(2, EVENTS.get(0)),
            record(3, EVENTS.get(1)),
            record(4, EVENTS.get(2)));

    private static final List<Checkpoint> CHECKPOINTS = List.of(
            checkpoint(90, "Pending", 0, 0), checkpoint(91, "InProgress", 0, 1), checkpoint(100, "Completed", 1, 1));

    @Test
    @DisplayName("a history that keeps its promises has no violation, also when a batch came again")
    void good() {
        var history = history(EVENTS, RECORDS, CHECKPOINTS, Set.of(KEPT));

        assertThat(Checker.check(history)).isEmpty();
        assertThat(Checker.duplicates(history)).isEqualTo(2);
    }

    @ParameterizedTest(name = "notices: {0}")
    @MethodSource("broken")
    void noticed(String promise, History history) {
        assertThat(Checker.check(history)).extracting(Violation::promise).contains(promise);
    }

    static Stream<Arguments> broken() {
        var overtaken = List.of(record(0, EVENTS.get(1)), record(1, EVENTS.get(0)), record(2, EVENTS.get(2)));
        var old = List.of(
                record(0, EVENTS.get(0)), record(1, EVENTS.get(1)), record(2, EVENTS.get(2)), record(3, EVENTS.get(0)));
        var stale = List.of(EVENTS.get(0), EVENTS.get(1), page(3, 100, RUN, KEPT, REVOKED));
        var late = List.of(page(1, 100, RUN), page(2, 101, OTHER_RUN), page(3, 102, RUN));
        var twice = List.of(page(1, 100, RUN), page(2, 101, OTHER_RUN));
        return Stream.of(
                Arguments.of(
                        "every committed event is published",
                        history(EVENTS, RECORDS.subList(0, 4), CHECKPOINTS, Set.of(KEPT))),
                Arguments.of(
                        "no record of what was rolled back",
                        history(EVENTS.subList(1, 3), RECORDS, CHECKPOINTS, Set.of(KEPT))),
                Arguments.of(
                        "a user's records are in the order of the commits",
                        history(EVENTS, overtaken, CHECKPOINTS, Set.of(KEPT))),
                Arguments.of(
                        "a user's records are in the order of the commits",
                        history(
                                EVENTS,
                                List.of(
                                        record(0, EVENTS.get(0)),
                                        record(1, EVENTS.get(1)),
                                        record(2, EVENTS.get(0)), // a batch that was held up, behind its successor's
                                        record(3, EVENTS.get(2))),
                                CHECKPOINTS,
                                Set.of(KEPT))),
                Arguments.of("what comes last was committed last", history(EVENTS, old, CHECKPOINTS, Set.of(KEPT))),
                Arguments.of(
                        "the last record of every user equals the database",
                        history(EVENTS, RECORDS, CHECKPOINTS, Set.of(KEPT, REVOKED))),
                Arguments.of(
                        "a revoked right never comes back",
                        history(
                                stale,
                                stale.stream().map(e -> record(e.id(), e)).toList(),
                                CHECKPOINTS,
                                Set.of())),
                Arguments.of(
                        "versions of one source never fall",
                        history(List.of(assignment(1, 5), assignment(2, 4)), List.of(), List.of(), Set.of())),
                Arguments.of(
                        "every user of every completed task is told",
                        history(
                                EVENTS.subList(0, 2),
                                RECORDS.subList(0, 4),
                                List.of(checkpoint(90, "Pending", 0, 0), checkpoint(100, "Completed", 0, 1)),
                                Set.of(KEPT))),
                Arguments.of(
                        "every task is completed",
                        history(List.of(), List.of(), List.of(checkpoint(90, "Failed", 0, 5)), Set.of())),
                Arguments.of(
                        "no page is repeated",
                        history(
                                twice,
                                List.of(),
                                List.of(
                                        checkpoint(90, "Pending", 0, 0),
                                        checkpoint(100, "InProgress", 1, 1),
                                        checkpoint(101, "Completed", 2, 2)),
                                Set.of())),
                Arguments.of(
                        "no effect of a worker that has lost its lease",
                        history(
                                late,
                                List.of(),
                                List.of(
                                        checkpoint(90, "Pending", 0, 0),
                                        checkpoint(100, "InProgress", 1, 1),
                                        checkpoint(101, "InProgress", 2, 2),
                                        checkpoint(102, "InProgress", 3, 2)),
                                Set.of())),
                Arguments.of(
                        "a completed task stays as it is",
                        history(
                                List.of(),
                                List.of(),
                                List.of(checkpoint(90, "Completed", 0, 1), checkpoint(91, "InProgress", 0, 2)),
                                Set.of())),
                Arguments.of(
                        "events and checkpoint are one",
                        history(EVENTS, RECORDS, CHECKPOINTS.subList(0, 2), Set.of(KEPT))),
                Arguments.of(
                        "nothing is left behind",
                        new History(
                                List.of(),
                                List.of(),
                                List.of(),
                                Map.of(),
                                List.of(),
                                Map.of(),
                                List.of("a task stood still"),
                                0)));
    }

    private static History history(
            List<Event> events, List<Published> records, List<Checkpoint> checkpoints, Set<UUID> access) {
        var rights = access.stream().map(id -> new Right(id, ROLE, "Platform")).collect(Collectors.toSet());
        return new History(
                events,
                records,
                checkpoints,
                Map.of(USER, rights),
                List.of(),
                Map.of(ROLE, Set.of(USER)),
                List.of(),
                0);
    }

    private static Event assignment(long id, long version, UUID... assignments) {
        return new Event(id, id, USER, id(1_000 + id), id(2_000 + id), "assignment", version, Set.of(assignments));
    }

    private static Event page(long id, long xid, UUID run, UUID... assignments) {
        return new Event(id, xid, USER, id(1_000 + id), run, "role:" + ROLE, 7, Set.of(assignments));
    }

    private static Published record(long offset, Event event) {
        return new Published(0, offset, event.messageId(), event.user(), event.assignments());
    }

    private static Checkpoint checkpoint(long xid, String status, int processed, int attempt) {
        return new Checkpoint(xid, TASK, ROLE, 7, status, null, processed, attempt);
    }

    private static UUID id(long number) {
        return new UUID(0, number);
    }
}
