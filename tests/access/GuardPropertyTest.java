package tests.access;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Label;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;
import org.apache.kafka.common.header.internals.RecordHeaders;
import org.jspecify.annotations.Nullable;
import processors.access.AccessBatch;
import processors.access.AccessRows;
import processors.access.UserAccess;
import processors.consuming.Received;
import tests.support.AccessChange;
import tests.support.AccessChange.Assignment;

/**
 * The guard over random histories of one user: events in the order of their commits, delivered in batches of any size, and
 * again and again from some point before, as a killed relay or consumer does.
 */
@Label("The guard")
class GuardPropertyTest {

    private static final UUID USER = UUID.randomUUID();
    private static final List<UUID> ROLES = List.of(UUID.randomUUID(), UUID.randomUUID());

    /**
     * @param source 0: assignments; else a role
     * @param newer whether its version is greater than the last of the source, or the same
     * @param unknownEnum whether it can only invalidate
     */
    record Change(int source, boolean newer, boolean unknownEnum) {}

    @Provide
    Arbitrary<List<Change>> histories() {
        return Combinators.combine(
                        Arbitraries.integers().between(0, 2),
                        Arbitraries.of(true, true, false),
                        Arbitraries.of(false, false, false, true))
                .as(Change::new)
                .list()
                .ofMinSize(1)
                .ofMaxSize(15);
    }

    @Property(tries = 300)
    @Label(
            "EVT-07 EVT-08 whatever comes again, what is held is the picture of the latest event that has come, never an older one")
    void neverOlder(
            @ForAll("histories") List<Change> history,
            @ForAll List<@IntRange(min = 0, max = 14) Integer> restarts,
            @ForAll @IntRange(min = 1, max = 4) int batch) {
        var events = new ArrayList<Received>();
        var pictures = new ArrayList<@Nullable String>();
        var versions = new HashMap<Integer, Long>();
        for (int i = 0; i < history.size(); i++) {
            var change = history.get(i);
            long version = versions.merge(change.source(), 1L, (last, one) -> change.newer() ? last + 1 : last);
            var event = event(change, version, "picture-" + i);
            events.add(received(change.unknownEnum() ? event.replacing("Organization", "Galaxy") : event, i));
            pictures.add(change.unknownEnum() ? null : "picture-" + i);
        }
        var rows = new HashMap<UUID, UserAccess>();
        int latest = -1;
        int position = 0;
        var jumps = new ArrayList<>(restarts);
        while (position < events.size()) {
            int end = Math.min(events.size(), position + batch);
            handle(events.subList(position, end), rows);
            latest = Math.max(latest, end - 1);

            var held = rows.get(USER).assignments();
            var picture = pictures.get(latest);
            if (picture == null) {
                assertThat(held).isNull();
            } else {
                assertThat(held).contains("\"" + picture + "\"");
            }
            position = end;
            if (!jumps.isEmpty()) {
                position = Math.min(position, jumps.remove(0));
            }
        }
    }

    private static AccessChange event(Change change, long version, String picture) {
        var assignment = Assignment.of(ROLES.get(0), picture);
        return change.source() == 0
                ? AccessChange.ofAssignments(USER, version, assignment)
                : AccessChange.ofRole(USER, ROLES.get(change.source() - 1), version, assignment);
    }

    private static Received received(AccessChange event, long offset) {
        var record = event.record("access", 0);
        return new Received("access", 0, offset, record.key(), record.value(), new RecordHeaders(record.headers()));
    }

    /** What the route does with a poll, without a database. */
    private static void handle(List<Received> poll, Map<UUID, UserAccess> rows) {
        var batch = AccessBatch.of(poll, false);
        while (batch.isOpen()) {
            batch.compare(List.copyOf(rows.values()));
            while (batch.parts().isOpen()) {
                var decision = batch.decide(batch.parts().next());
                decision.writes().forEach(write -> rows.put(write.userId(), write));
                batch.settle(
                        decision,
                        decision.writes().stream()
                                .map(write -> new AccessRows.Written(write.userId()))
                                .toList());
            }
        }
    }
}
