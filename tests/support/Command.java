package tests.support;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;

/** A command as an operator runs it: a process, which has ended with an exit code and has printed something. */
public record Command(int exitCode, String output) {

    private static final AtomicInteger NUMBER = new AtomicInteger();

    /** @param system whose settings they are: its output is called so */
    static Command run(String system, Properties settings, String... arguments) {
        try {
            var process = WorkerProcess.start(
                    system + "-command-" + NUMBER.incrementAndGet(),
                    settings,
                    List.of("-XX:TieredStopAtLevel=1"),
                    List.of(arguments));
            int exitCode = process.waitForExit(150);
            return new Command(exitCode, process.output());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
