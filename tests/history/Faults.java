package tests.history;

import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
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
        RESTART_KAFKA
    }

    /** A process of the application, started with what the history is about. */
    interface Starter {
        WorkerProcess start() throws IOException;
    }

    private final TestSystem system;
    private final Starter starter;
    private final List<Fault> kinds;
    private final Duration frozenFor;
    private final List<WorkerProcess> processes = new ArrayList<>();
    /** When each process was started or thawed last. */
    private final List<Long> untouchedSince = new ArrayList<>();

    private final StringBuilder log = new StringBuilder();
    private int count;

    /** @param frozenFor longer than any lease */
    Faults(TestSystem system, Starter starter, int processes, List<Fault> kinds, Duration frozenFor)
            throws IOException {
        this.system = system;
        this.starter = starter;
        this.kinds = kinds;
        this.frozenFor = frozenFor;
        for (int i = 0; i < processes; i++) {
            this.processes.add(starter.start());
            untouchedSince.add(System.nanoTime());
        }
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
        var fault = kinds.get(random.nextInt(kinds.size()));
        int victim = random.nextInt(processes.size());
        count++;
        log.append(java.time.Instant.now())
                .append(' ')
                .append(fault)
                .append(" process ")
                .append(victim)
                .append('\n');
        switch (fault) {
            case KILL -> {
                processes.get(victim).kill();
                processes.set(victim, starter.start());
            }
            case TERMINATE -> {
                processes.get(victim).terminate();
                processes.get(victim).waitForExit(120); // how long it may take is judged elsewhere
                processes.set(victim, starter.start());
            }
            case FREEZE -> {
                processes.get(victim).freeze();
                // The freeze is the fault, and this is how long it lasts: there is no condition to wait for.
                TimeUnit.MILLISECONDS.sleep(frozenFor.toMillis());
                processes.get(victim).thaw();
            }
            case CUT_CONNECTIONS -> {
                try (var connection = TestSystem.stack().superuser("postgres");
                        var statement = connection.createStatement()) {
                    statement.execute(
                            "select pg_terminate_backend(pid) from pg_stat_activity where usename = 'identity_access' and datname = '"
                                    + system.database() + "'");
                }
            }
            case CRASH_POSTGRES -> system.identity().crashServer();
            case RESTART_KAFKA -> {
                TestSystem.stack().kafka().stop();
                TestSystem.stack().kafka().restart();
            }
        }
        if (fault == Fault.KILL || fault == Fault.TERMINATE || fault == Fault.FREEZE) {
            untouchedSince.set(victim, System.nanoTime());
        }
    }

    /** Whether a process has been left alone for so long. */
    boolean leftOneAloneFor(Duration duration) {
        return untouchedSince.stream().anyMatch(since -> System.nanoTime() - since > duration.toNanos());
    }

    /** Processes that have ended by themselves, with the end of their output. */
    List<String> dead() {
        return processes.stream()
                .filter(process -> !process.alive())
                .map(process -> {
                    var output = process.output();
                    return output.substring(Math.max(0, output.length() - 2_000));
                })
                .toList();
    }
}
