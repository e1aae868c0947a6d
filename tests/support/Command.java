package tests.support;

import app.AccessRoutes;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A command as an operator runs it, which has ended.
 *
 * @param out what it has printed on standard output
 * @param err and on standard error
 */
public record Command(int exitCode, String out, String err) {

    /** Runs it in this process, by the code that a shell would start: much sooner than {@link #runAsProcess}. */
    public static Command run(Properties settings, String... arguments) {
        var out = new StringWriter();
        var err = new StringWriter();
        try {
            var file = Files.createTempFile("command", ".properties");
            try (var writer = Files.newBufferedWriter(file)) {
                settings.store(writer, null);
            }
            var all = Stream.concat(Stream.of(arguments), Stream.of("--config", file.toString()));
            int exitCode = AccessRoutes.commandLine()
                    .setOut(new PrintWriter(out, true))
                    .setErr(new PrintWriter(err, true))
                    .execute(all.toArray(String[]::new));
            Files.delete(file);
            return new Command(exitCode, out.toString(), err.toString());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** As a process of its own: what it logs, how it ends and what it leaves running are those of production. */
    public static Command runAsProcess(Properties settings, String... arguments) {
        try {
            var folder = Files.createDirectories(Path.of("target", "processes"));
            var out = Files.createTempFile(folder, "command", ".out");
            var err = Files.createTempFile(folder, "command", ".err");
            var process = new ProcessBuilder(WorkerProcess.command(
                            settings, List.of("-XX:TieredStopAtLevel=1"), List.of(arguments), null))
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile())
                    .start();
            if (!process.waitFor(150, TimeUnit.SECONDS)) {
                process.destroyForcibly();
                throw new AssertionError(
                        "the command has not ended:\n" + Files.readString(out) + Files.readString(err));
            }
            return new Command(process.exitValue(), Files.readString(out), Files.readString(err));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    /** All that it has printed. */
    public String output() {
        return out + err;
    }
}
