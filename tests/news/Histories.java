package tests.news;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;

/** Histories of a few users, with versions in any order, and some messages that come more than once. */
final class Histories {

    private static final List<UUID> USERS = List.of(new UUID(1, 1), new UUID(2, -2), new UUID(-3, 3));

    private Histories() {}

    /** One of them, where jqwik does not run. */
    static List<Event> random(Random random) {
        var events = new ArrayList<Event>();
        for (int i = random.nextInt(40); i > 0; i--) {
            events.add(event(USERS.get(random.nextInt(3)), 2 + random.nextInt(8), random.nextInt(3)));
        }
        return events;
    }

    static Arbitrary<List<Event>> any() {
        var users = Arbitraries.of(USERS);
        var events = Combinators.combine(
                        users,
                        Arbitraries.longs().between(2, 9),
                        Arbitraries.integers().between(0, 2))
                .as(Histories::event);
        return events.list().ofMaxSize(40);
    }

    /** A version of a user is one event, so that an event that is drawn again is the same message again. */
    private static Event event(UUID user, long version, int draw) {
        boolean block = (user.hashCode() + version) % 3 == 0;
        // The rare producer that sends a version anew, under another MessageId.
        var messageId = new UUID(user.getMostSignificantBits(), draw == 0 ? -version : version);
        return new Event(messageId, user, version, block, "Name" + version);
    }
}
