package tests.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import tests.history.Checker.Violation;
import tests.history.History.Cached;
import tests.history.History.Event;
import tests.history.History.Held;
import tests.history.History.Published;
import tests.history.History.Right;

/** What the checker says about caches, on histories that are written down. */
@DisplayName("The checker of caches")
class CacheCheckerTest {

    private static final UUID USER = id(1);
    private static final UUID ROLE = id(2);
    private static final UUID KEPT = id(10);
    private static final UUID REVOKED = id(11);

    private static final Event GRANTED = event(1, "assignment", 1, KEPT, REVOKED);
    private static final Event ROLE_CHANGED = event(2, "role:" + ROLE, 7, KEPT, REVOKED);
    private static final Event REVOCATION = event(3, "assignment", 2, KEPT);

    private static final Held FIRST = fresh(List.of(KEPT, REVOKED), GRANTED);
    private static final Held SECOND = fresh(List.of(KEPT, REVOKED), GRANTED, ROLE_CHANGED);
    private static final Held LAST = fresh(List.of(KEPT), ROLE_CHANGED, REVOCATION);
    private static final Held UNKNOWN = new Held(USER, false, Set.of(), Set.of(GRANTED.messageId()));

    @Test
    @DisplayName("a cache that follows the events has no violation")
    void good() {
        assertThat(check(true, LAST, FIRST, SECOND, LAST)).isEmpty();
        assertThat(check(false, LAST, FIRST, UNKNOWN, LAST)).isEmpty();
    }

    @Test
    @DisplayName("several events in one transaction, and a write that repeats the last, are no violation")
    void folded() {
        assertThat(check(true, LAST, LAST, LAST)).isEmpty();
    }

    @Test
    @DisplayName("without a VersionSource the rights of a user may be unknown, and are counted")
    void unknown() {
        assertThat(check(false, UNKNOWN, FIRST, UNKNOWN)).isEmpty();
        assertThat(cache(false, UNKNOWN, FIRST, UNKNOWN).invalidated()).isEqualTo(1);
        assertThat(cache(true, LAST, LAST).invalidated()).isZero();
    }

    @ParameterizedTest(name = "notices: {0}")
    @MethodSource("broken")
    void noticed(String promise, List<Violation> violations) {
        assertThat(violations).extracting(Violation::promise).containsExactly(promise);
    }

    static Stream<Arguments> broken() {
        var forgotten = fresh(List.of(KEPT, REVOKED), GRANTED);
        var remembered = fresh(List.of(KEPT, REVOKED), ROLE_CHANGED, REVOCATION);
        var elsewhere = new Held(USER, true, Set.of(new Right(KEPT, ROLE, "Project")), LAST.messages());
        return Stream.of(
                Arguments.of(
                        "no right is Fresh that was revoked before the last applied event",
                        check(true, LAST, FIRST, remembered, LAST)),
                Arguments.of(
                        "no right is Fresh that was revoked before the last applied event",
                        check(true, LAST, FIRST, LAST, forgotten, LAST)),
                Arguments.of(
                        "no right is Fresh that was revoked before the last applied event",
                        check(false, UNKNOWN, FIRST, LAST, forgotten, UNKNOWN)),
                Arguments.of(
                        "a Fresh user is what the last applied event says",
                        check(true, LAST, fresh(List.of(KEPT), GRANTED), LAST)),
                Arguments.of(
                        "a Fresh user is what the last applied event says", check(true, LAST, fresh(List.of()), LAST)),
                Arguments.of(
                        "a cache applies only what was committed",
                        check(true, LAST, FIRST, LAST, fresh(List.of(KEPT), event(9, "assignment", 9, KEPT)))),
                Arguments.of("a cache knows every user of whom it was told", check(true, null, LAST)),
                Arguments.of("every user is Fresh at rest", check(true, UNKNOWN, LAST, UNKNOWN)),
                Arguments.of("a Fresh user equals the database at rest", check(true, SECOND, FIRST, SECOND)),
                Arguments.of("a Fresh user equals the database at rest", check(false, SECOND, FIRST, SECOND)),
                Arguments.of("a Fresh user equals the database at rest", check(true, elsewhere, LAST)));
    }

    /** The history of one user, of whom the cache held one thing after the other. */
    private static List<Violation> check(boolean versionSource, @Nullable Held atRest, Held... written) {
        var events = List.of(GRANTED, ROLE_CHANGED, REVOCATION);
        var records = events.stream()
                .map(event -> new Published(0, event.id(), event.messageId(), USER, event.assignments()))
                .toList();
        var history = new History(
                events, records, List.of(), Map.of(USER, Set.of(right(KEPT))), List.of(), Map.of(), List.of(), 0);
        return CacheChecker.check(history, cache(versionSource, atRest, written));
    }

    private static Cached cache(boolean versionSource, @Nullable Held atRest, Held... written) {
        return new Cached("gateway", versionSource, List.of(written), atRest == null ? Map.of() : Map.of(USER, atRest));
    }

    private static Held fresh(List<UUID> assignments, Event... applied) {
        return new Held(
                USER,
                true,
                assignments.stream().map(CacheCheckerTest::right).collect(Collectors.toSet()),
                Stream.of(applied).map(Event::messageId).collect(Collectors.toSet()));
    }

    private static Right right(UUID assignment) {
        return new Right(assignment, ROLE, "Platform");
    }

    private static Event event(long id, String source, long version, UUID... assignments) {
        return new Event(id, id, USER, id(1_000 + id), id(2_000 + id), source, version, Set.of(assignments));
    }

    private static UUID id(long number) {
        return new UUID(0, number);
    }
}
