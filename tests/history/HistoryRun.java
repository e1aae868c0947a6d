package tests.history;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.springframework.dao.DataAccessException;
import tests.history.Checker.Violation;
import tests.support.Causes;
import tests.support.TestSystem;
import tests.support.WorkerProcess;

/** One history: a system, a driver, faults, and the quiet after them. */
final class HistoryRun {

    private static final int WORKERS = 2;
    private static final int ACTORS = 3;
    private static final Duration BETWEEN_FAULTS = Duration.ofSeconds(4);
    private static final Duration LEASE = Duration.ofSeconds(3);
    private static final Duration POLLING = Duration.ofMillis(300);
    /** How long a process may take to start, and a server to recover, on a machine that has other things to do. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final List<String> JVM = List.of("-Xmx192m", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC");
    private static final String[] SETTINGS = {
        "identity.fanout.batch-size", "10",
        "identity.fanout.max-lease-duration", LEASE.toSeconds() + "s",
        "identity.fanout.polling-interval", POLLING.toMillis() + "ms",
        // Each kill uses up an attempt, and there are many.
        "identity.fanout.max-attempts", "1000",
        "identity.jobs.polling-interval", POLLING.toMillis() + "ms",
        "identity.expiry.schedule", "* * * * * ?",
        "identity.relay.lane-lease", "2s",
        "identity.relay.heartbeat-interval", "300ms",
        "identity.relay.batch-size", "100"
    };

    private final TestSystem system;
    private final @Nullable Caches caches;
    private final long seed;
    private final @Nullable Mutant mutant;
    private final List<String> leftovers = new ArrayList<>();
    private int started;
    private String summary = "";
    private String refusals = "";
    private String faultLog = "";

    /**
     * @param caches who reads the events; null for nobody
     * @param mutant what to take out of the processes; null for nothing
     */
    HistoryRun(TestSystem system, @Nullable Caches caches, long seed, @Nullable Mutant mutant) {
        this.system = system;
        this.caches = caches;
        this.seed = seed;
        this.mutant = mutant;
    }

    History record(Duration duration) throws Exception {
        var recorder = new Recorder(system.identity().sql());
        recorder.install();
        if (mutant != null) {
            mutant.apply(system);
        }
        var writer = system.start(
                "identity.fanout.inline-threshold",
                "0", // every change of a role is a task
                "camel.main.auto-startup-exclude-pattern",
                "fan-out,fan-out-poll,*-measure,relay-*,announcements,role-archivals,jobs-poll,expire-assignments");
        var driver = new Driver(system, new Causes(writer));
        var random = new Random(seed);
        var databases = new ArrayList<>(List.of(system.database()));
        var cacheProcesses = new ArrayList<Faults.Starter>();
        if (caches != null) {
            caches.open(system.topic());
            databases.addAll(caches.databases());
            cacheProcesses.add(() -> caches.startSourced(JVM, mutant));
            cacheProcesses.add(() -> caches.startUnsourced(JVM, mutant));
        }
        var faults = new Faults(
                system,
                Collections.nCopies(WORKERS, this::startWorker),
                cacheProcesses,
                databases,
                mutant == null ? List.of(Faults.Fault.values()) : mutant.faults(),
                LEASE.plusSeconds(1));
        var driving = new AtomicBoolean(true);
        var actors = Executors.newFixedThreadPool(ACTORS);
        for (int i = 0; i < ACTORS; i++) {
            var actor = new Random(seed + i + 1);
            actors.submit(() -> {
                while (driving.get()) {
                    driver.step(actor);
                    pause(actor.nextInt(40));
                }
            });
        }
        long end = System.nanoTime() + duration.toNanos();
        while (System.nanoTime() < end) {
            pause(BETWEEN_FAULTS.toMillis());
            faults.strike(random);
            noteStuckTasks(faults);
        }
        driving.set(false);
        faults.thaw(true);
        actors.shutdown();
        if (!actors.awaitTermination(60, TimeUnit.SECONDS)) {
            leftovers.add("an actor of the driver hangs");
        }
        long since = System.nanoTime();
        awaitQuiet();
        long quiet = System.nanoTime();
        if (caches != null) {
            caches.awaitRest(leftovers);
        }
        long rest = System.nanoTime();
        faults.dead().forEach(output -> leftovers.add("a process has ended by itself:\n" + output));
        noteDeadlocks();
        summary = "%s; quiet after %.1f s, caches at rest %.1f s later"
                .formatted(driver.summary(), (quiet - since) / 1e9, (rest - quiet) / 1e9);
        refusals = driver.failures().toString();
        faultLog = faults.log();
        // A new one: the connection of the first may be gone with a crash.
        return new Recorder(system.identity().sql())
                .read(
                        system.topic(),
                        caches == null ? List.of() : caches.read(),
                        driver.holders(),
                        driver.everybody(),
                        leftovers,
                        faults.count());
    }

    private WorkerProcess startWorker() throws IOException {
        return mutant == null
                ? system.startProcess(JVM, SETTINGS)
                : system.startProcess(JVM, mutant.overlay(), mutant.settings(++started, SETTINGS));
    }

    String summary() {
        return summary;
    }

    String refusals() {
        return refusals;
    }

    /** What broke, and everything that happened to the users concerned. */
    String report(History history, List<Violation> violations) {
        var report = new StringBuilder("seed " + seed + "\n" + summary + "\n\nviolations\n");
        violations.forEach(violation -> report.append(violation).append('\n'));
        report.append("\nfaults\n").append(faultLog).append("\nevents\n");
        history.events().forEach(event -> report.append(event).append('\n'));
        report.append("\nrecords\n");
        history.records().forEach(record -> report.append(record).append('\n'));
        report.append("\ncheckpoints\n");
        history.checkpoints().forEach(checkpoint -> report.append(checkpoint).append('\n'));
        for (var cache : history.caches()) {
            report.append("\nheld ").append(cache.name()).append('\n');
            cache.written().forEach(held -> report.append(held).append('\n'));
        }
        return report.toString();
    }

    /** A task that nobody moves although somebody is there: beyond lease and polling interval it is stuck (FAN-13). */
    private void noteStuckTasks(Faults faults) {
        var limit = LEASE.plus(POLLING).plus(PATIENCE);
        if (!faults.leftOneAloneFor(limit)) {
            return;
        }
        try {
            leftovers.addAll(system.identity()
                    .sql()
                    .queryForList(
                            "select 'task ' || id || ' stood still for ' || (clock_timestamp() - updated_at) from"
                                    + " identity.access_fanout_tasks where status = 'InProgress' and updated_at <"
                                    + " clock_timestamp() - ? * interval '1 second'",
                            String.class,
                            limit.toSeconds()));
        } catch (DataAccessException e) {
            // the fault was PostgreSQL's; the next look is soon
        }
    }

    /** Since PostgreSQL last crashed: our locks have one order, and the driver's services hold one row at a time (cases 18). */
    private void noteDeadlocks() {
        leftovers.addAll(system.identity()
                .sql()
                .queryForList(
                        "select deadlocks || ' deadlocks' from pg_stat_database where datname = current_database() and"
                                + " deadlocks > 0",
                        String.class));
    }

    /** Everything has been told, and nothing is due; what is not after a while is a leftover. */
    private void awaitQuiet() {
        awaitOr("events in the outbox", () -> isEmpty("identity.outbox"));
        awaitOr("announcements", () -> isEmpty("identity.access_announcements"));
        awaitOr("half-archived roles", () -> isEmpty("identity.role_archivals"));
        awaitOr(
                "tasks that are not completed",
                () -> isEmpty("identity.access_fanout_tasks where status <> 'Completed'"));
        awaitOr(
                "assignments past their end",
                () -> isEmpty("identity.role_assignments where status = 'Active' and expires_at is not null"));
        awaitOr("events in the outbox at the end", () -> isEmpty("identity.outbox"));
    }

    private boolean isEmpty(String rows) {
        return !system.identity().sql().queryForObject("select exists (select from " + rows + ")", Boolean.class);
    }

    /** Waits for as long as anything is still done. */
    private void awaitOr(String what, BooleanSupplier condition) {
        long progress = -1;
        long end = 0;
        while (true) {
            try {
                if (condition.getAsBoolean()) {
                    return;
                }
                long now = progress();
                if (now != progress) {
                    progress = now;
                    end = System.nanoTime() + LEASE.plus(POLLING).plus(PATIENCE).toNanos();
                }
            } catch (DataAccessException e) {
                // PostgreSQL recovers
            }
            if (System.nanoTime() > end) {
                leftovers.add(what);
                return;
            }
            pause(100);
        }
    }

    /** Changes when anything is appended, published or checkpointed. */
    private long progress() {
        return system.identity()
                .sql()
                .queryForObject(
                        "select (select count(*) from history.events) * 1000003 + (select count(*) from"
                                + " history.checkpoints) * 1009 + (select count(*) from identity.outbox)",
                        Long.class);
    }

    /** The pace of the driver and of the faults, and of looking whether all is quiet. */
    private static void pause(long millis) {
        try {
            TimeUnit.MILLISECONDS.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
