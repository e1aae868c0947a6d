package tests.news;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.jspecify.annotations.Nullable;
import processors.news.AuthorStatus;
import processors.news.Decision;
import processors.news.Known;
import processors.news.ReplicaWrite;

/** What the decisions promise for every history, however it is ordered, repeated and cut into polls. */
@Label("Decisions")
class DecisionPropertyTest {

    @Property(tries = 500)
    @Label("cases 31: a history in polls of any size has the outcomes and rows of one record at a time")
    void foldingChangesNothing(@ForAll("histories") List<Event> history, @ForAll Random random) {
        var oneByOne = new Database();
        var outcomes = new ArrayList<String>();
        history.forEach(event -> outcomes.addAll(oneByOne.handle(List.of(event))));
        var folded = new Database();
        var foldedOutcomes = new ArrayList<String>();
        for (int from = 0; from < history.size(); ) {
            int to = Math.min(history.size(), from + 1 + random.nextInt(20));
            foldedOutcomes.addAll(folded.handle(history.subList(from, to)));
            from = to;
        }

        assertThat(foldedOutcomes).isEqualTo(outcomes);
        assertThat(folded.rows).isEqualTo(oneByOne.rows);
        assertThat(folded.marks).isEqualTo(oneByOne.marks);
    }

    @Property(tries = 500)
    @Label("REP-07: rows are what the spec says, event by event, told in another way")
    void asTheSpecSays(@ForAll("histories") List<Event> history) {
        var database = new Database();
        history.forEach(event -> database.handle(List.of(event)));

        assertThat(database.rows).isEqualTo(Spec.rows(history));
    }

    @Property(tries = 500)
    @Label(
            "REP-13: any order, repetition and interleaving after the first upsert ends in the state of the newest event")
    void newestWins(@ForAll("histories") List<Event> history, @ForAll Random random) {
        var users = new HashSet<UUID>();
        var shuffled = new ArrayList<>(history);
        history.forEach(event -> shuffled.add(event.again())); // every record twice
        java.util.Collections.shuffle(shuffled, random);
        var database = new Database();
        for (var event : history) {
            if (users.add(event.user())) {
                database.handle(List.of(Event.upsert(event.user(), 0, "Registered")));
            }
        }
        database.handle(shuffled);

        var newest = new HashMap<UUID, Event>();
        history.forEach(event -> newest.merge(event.user(), event, (a, b) -> a.version() >= b.version() ? a : b));
        newest.forEach((user, event) -> {
            var row = database.rows.get(user);
            assertThat(row.version()).isEqualTo(event.version());
            assertThat(row.status()).isEqualTo(event.block() ? "Blocked" : "Active");
            if (!event.block()) {
                assertThat(row.name()).isEqualTo(event.name());
            }
        });
    }

    @Property(tries = 200)
    @Label("REP-17: a replay of a whole history, with its marks or without, changes no row")
    void replay(@ForAll("histories") List<Event> history, @ForAll boolean marksKept) {
        var database = new Database();
        // As identity writes it: versions grow along the partition.
        var ordered = history.stream()
                .sorted(java.util.Comparator.comparingLong(Event::version))
                .toList();
        database.handle(ordered);
        var rows = new HashMap<>(database.rows);
        if (!marksKept) {
            database.marks.clear();
        }
        database.handle(ordered);

        assertThat(database.rows).isEqualTo(rows);
    }

    @Provide
    Arbitrary<List<Event>> histories() {
        return Histories.any();
    }

    /** The table and the marks as the statements leave them. */
    static final class Database {

        final Map<UUID, Row> rows = new TreeMap<>();
        final Set<String> marks = new HashSet<>();

        /** Handles records as one poll, and says what became of each. */
        List<String> handle(List<Event> poll) {
            var versions = new HashMap<UUID, Long>();
            rows.forEach((user, row) -> versions.put(user, row.version()));
            var decision = Decision.of(poll.stream().map(Event::arrival).toList(), new Known(marks, versions));
            decision.writes().forEach(this::write);
            var kinds = new ArrayList<String>();
            for (var outcome : decision.outcomes()) {
                if (outcome.leavesMark()) {
                    marks.add(outcome.arrival().idempotencyKey());
                }
                kinds.add(outcome.getClass().getSimpleName());
            }
            return kinds;
        }

        private void write(ReplicaWrite write) {
            var present = rows.get(write.userId());
            if (present != null && present.version() >= write.version()) {
                return; // the guard
            }
            if (write instanceof ReplicaWrite.Upsert upsert) {
                rows.put(
                        write.userId(),
                        new Row(upsert.event().displayName(), upsert.status().name(), write.version()));
            } else if (present != null) {
                rows.put(write.userId(), new Row(present.name(), AuthorStatus.Blocked.name(), write.version()));
            }
        }
    }

    record Row(String name, String status, long version) {}

    /** The document's algorithm, one event at a time and without a thought of speed. */
    static final class Spec {

        static Map<UUID, Row> rows(List<Event> history) {
            var rows = new TreeMap<UUID, Row>();
            var seen = new HashSet<UUID>();
            for (var event : history) {
                @Nullable Row row = rows.get(event.user());
                if (seen.contains(event.messageId())) {
                    continue;
                }
                if (row == null && event.block()) {
                    continue;
                }
                seen.add(event.messageId());
                if (row != null && event.version() <= row.version()) {
                    continue;
                }
                rows.put(
                        event.user(),
                        event.block()
                                ? new Row(row.name(), "Blocked", event.version())
                                : new Row(event.name(), "Active", event.version()));
            }
            return rows;
        }
    }
}
