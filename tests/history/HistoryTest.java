package tests.history;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import tests.history.History.Held;
import tests.support.TestSystem;

/**
 * Runs one history and judges it. {@code -Dhistory.minutes=N} makes it longer, {@code -Dhistory.seed=S} repeats the choices
 * of another one (not its timing).
 */
@DisplayName("A history under faults")
class HistoryTest {

    @RegisterExtension
    final TestSystem system = new TestSystem();

    @RegisterExtension
    final Caches caches = new Caches();

    @Test
    @Timeout(value = 3, unit = TimeUnit.HOURS)
    @DisplayName(
            "FAN-21 killed, frozen, cut off and restarted: nobody forgotten, nothing out of order, nothing comes back")
    void keepsItsPromises() throws Exception {
        long seed = Long.getLong("history.seed", new Random().nextLong());
        var duration =
                Duration.ofSeconds(Math.round(60 * Double.parseDouble(System.getProperty("history.minutes", "1"))));
        System.out.printf("history: seed %d, %d s%n", seed, duration.toSeconds());

        var run = new HistoryRun(system, caches, seed, null);
        var history = run.record(duration);
        var violations = Checker.check(history);

        System.out.printf(
                "history: %s; %d faults; %d events, %d records, %d of them again; %d violations%n",
                run.summary(),
                history.crashes(),
                history.events().size(),
                history.records().size(),
                Checker.duplicates(history),
                violations.size());
        for (var cache : history.caches()) {
            System.out.printf(
                    "history: cache %s: %d rows of %d users written, %d of the users invalidated at rest%n",
                    cache.name(), cache.written().size(), cache.atRest().size(), cache.invalidated());
        }
        System.out.println("history: cut off or refused: " + run.refusals());
        if (!violations.isEmpty()) {
            var file = Path.of("target", "history", "seed-" + seed + ".txt");
            Files.createDirectories(file.getParent());
            Files.writeString(file, run.report(history, violations));
            System.out.println("history: written to " + file);
        }
        assertThat(violations.stream().limit(20)).as("seed %d", seed).isEmpty();
        assertThat(history.events()).as("something happened").hasSizeGreaterThan(500);
        assertThat(history.checkpoints()).as("tasks were walked").hasSizeGreaterThan(50);
        for (var cache : history.caches()) {
            assertThat(cache.written().stream().filter(Held::fresh).count())
                    .as("Fresh rows of the cache %s", cache.name())
                    .isPositive();
        }
    }
}
