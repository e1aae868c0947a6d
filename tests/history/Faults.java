package tests.history;

import demo.EmbeddedStack;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tests.support.TestSystem;
import tests.support.WorkerProcess;

/** What goes wrong: processes, connections and servers, one fault at a time. */
final class Faults {

    enum Fault {
        KILL,
        TERMINATE,
        FREEZE,
        CUT_CONNECTIONS,
        CRASH_POSTGRES,
        RESTART_KAFKA,
        /** A second instance of a cache comes or goes. */
        REBALANCE
    }

    /** A process of the application, started with what the history is about. */
    interface Starter {
        WorkerProcess start() throws IOException;
    }

    /** One that is hit, and how the next one in its place is started. */
    private static final class Victim {

        private final String name;
        private final Starter starter;
        private WorkerProcess process;
        /** Whether it has been seen at work since it was started. */
        private boolean up;
        /** When it was seen at work first, or thawed last. */
        private long untouchedSince;
        /** When to thaw it; null while it runs. */
        private @Nullable Long thawAt;

        Victim(String name, Starter starter) throws IOException {
            this.name = name;
            this.starter = starter;
            process = starter.start();
        }

        void replace() throws IOException {
            process = starter.start();
            up = false;
        }

        /** A process that still starts moves no task: on a busy machine that alone takes longer than a lease. */
        boolean isAloneFor(Duration duration) {
            if (!up && process.isUp()) {
                up = true;
                untouchedSince = System.nanoTime();
            }
            return up && System.nanoTime() - untouchedSince > duration.toNanos();
        }

        void thaw() throws IOException, InterruptedException {
            process.thaw();
            thawAt = null;
            untouchedSince = System.nanoTime();
        }
    }

    /** Longer than Kafka waits for a consumer: its partitions go to another, and it comes back without them. */
    private static final Duration CACHE_FROZEN_FOR = Duration.ofSeconds(12);

    private final TestSystem system;
    private final List<Fault> kinds;
    private final Duration frozenFor;
    private final List<Victim> workers = new ArrayList<>();
    private final List<Victim> caches = new ArrayList<>();
    private final List<String> databases = new ArrayList<>();
    private final @Nullable Starter second;
    private @Nullable WorkerProcess secondCache;

    private final StringBuilder log = new StringBuilder();
    private int count;

    /**
     * @param caches those of the caches, the first of which has a second instance now and then; may be empty
     * @param databases of workers and caches
     * @param frozenFor longer than any lease
     */
    Faults(
            TestSystem system,
            List<Starter> workers,
            List<Starter> caches,
            List<String> databases,
            List<Fault> kinds,
            Duration frozenFor)
            throws IOException {
        this.system = system;
        this.databases.addAll(databases);
        this.kinds = kinds;
        this.frozenFor = frozenFor;
        for (var starter : workers) {
            this.workers.add(new Victim("worker " + this.workers.size(), starter));
        }
        for (var starter : caches) {
            this.caches.add(new Victim("cache " + this.caches.size(), starter));
        }
        second = caches.isEmpty() ? null : caches.get(0);
    }

    /** How many there were. */
    int count() {
        return count;
    }

    /** What happened when. */
    String log() {
        return log.toString();
    }

    void strike(Random random) throws IOException, InterruptedException, SQLException {
        if (kinds.isEmpty()) {
            return;
        }
        thaw(false);
        var fault = kinds.get(random.nextInt(kinds.size()));
        var victims = Stream.concat(workers.stream(), caches.stream()).toList();
        var victim = victims.get(random.nextInt(victims.size()));
        count++;
        log.append(java.time.Instant.now())
                .append(' ')
                .append(fault)
                .append(' ')
                .append(victim.name)
                .append('\n');
        switch (fault) {
            case KILL -> {
                victim.process.kill();
                victim.replace();
            }
            case TERMINATE -> {
                victim.thaw(); // what is frozen hears nothing
                victim.process.terminate();
                victim.process.waitForExit(120); // how long it may take is judged elsewhere
                victim.replace();
            }
            case FREEZE -> {
                victim.process.freeze();
                if (caches.contains(victim)) {
                    victim.thawAt = System.nanoTime() + CACHE_FROZEN_FOR.toNanos();
                } else {
                    // The freeze is the fault, and this is how long it lasts: there is no condition to wait for.
                    TimeUnit.MILLISECONDS.sleep(frozenFor.toMillis());
                    victim.thaw();
                }
            }
            case CUT_CONNECTIONS -> {
                try (var connection = TestSystem.stack().superuser("postgres");
                        var statement = connection.createStatement()) {
                    statement.execute("select pg_terminate_backend(pid) from pg_stat_activity where usename in ('"
                            + EmbeddedStack.RUN_USER + "', '" + EmbeddedStack.ACCESS_CACHE_USER + "') and datname in ('"
                            + String.join("', '", databases) + "')");
                }
            }
            case CRASH_POSTGRES -> system.identity().crashServer();
            case RESTART_KAFKA -> {
                TestSystem.stack().kafka().stop();
                TestSystem.stack().kafka().restart();
            }
            case REBALANCE -> {
                if (secondCache != null) {
                    secondCache.kill();
                    secondCache = null;
                } else if (second != null) {
                    secondCache = second.start();
                }
            }
        }
        if (fault == Fault.KILL || fault == Fault.TERMINATE) {
            victim.thawAt = null;
        }
    }

    /** Thaws whoever is frozen; or only who has been for long enough. */
    void thaw(boolean everybody) throws IOException, InterruptedException {
        for (var cache : caches) {
            if (cache.thawAt != null && (everybody || System.nanoTime() > cache.thawAt)) {
                cache.thaw();
            }
        }
    }

    /** Whether a worker has been at work, and left alone, for so long. */
    boolean leftOneAloneFor(Duration duration) {
        // Every one is asked: that is how it is known since when it is at work.
        return workers.stream().filter(worker -> worker.isAloneFor(duration)).count() > 0;
    }

    /** Processes that have ended by themselves, with the end of their output. */
    List<String> dead() {
        var victims = Stream.concat(workers.stream(), caches.stream()).map(victim -> victim.process);
        return Stream.concat(victims, Stream.ofNullable(secondCache))
                .filter(process -> !process.alive())
                .map(process -> {
                    var output = process.output();
                    return output.substring(Math.max(0, output.length() - 2_000));
                })
                .toList();
    }
}
