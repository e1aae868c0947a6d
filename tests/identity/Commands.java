package tests.identity;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import tests.support.TestSystem;
import tests.support.WorkerProcess;

/** Runs commands as an operator does: as a process, looking at its output and its exit code. */
final class Commands {

    private static final AtomicInteger NUMBER = new AtomicInteger();

    private Commands() {}

    record Result(int exitCode, String output) {}

    static Result run(TestSystem system, String... arguments) {
        return run(system, new String[0], arguments);
    }

    static Result run(TestSystem system, String[] settings, String... arguments) {
        try {
            var process = WorkerProcess.start(
                    system.database() + "-command-" + NUMBER.incrementAndGet(),
                    system.settings(settings),
                    List.of("-XX:TieredStopAtLevel=1"),
                    List.of(arguments));
            int exitCode = process.waitForExit(150);
            return new Result(exitCode, process.output());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
