package tests.support;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The application as a real process, with everything that can be done to one. */
public final class WorkerProcess {

    private final Process process;
    private final Path output;

    private WorkerProcess(Process process, Path output) {
        this.process = process;
        this.output = output;
    }

    /**
     * @param jvm options of its JVM
     * @param arguments of the application
     */
    public static WorkerProcess start(String name, Properties settings, List<String> jvm, List<String> arguments)
            throws IOException {
        return start(name, settings, jvm, arguments, null);
    }

    /** @param overlay a folder whose files stand in front of those of the application; null for none */
    public static WorkerProcess start(
            String name, Properties settings, List<String> jvm, List<String> arguments, @Nullable Path overlay)
            throws IOException {
        var folder = Files.createDirectories(Path.of("target", "processes"));
        var output = folder.resolve(name + ".log");
        var process = new ProcessBuilder(command(settings, jvm, arguments, overlay))
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        return new WorkerProcess(process, output);
    }

    static List<String> command(Properties settings, List<String> jvm, List<String> arguments, @Nullable Path overlay) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(jvm);
        command.add("-Dlogback.configurationFile=logback.xml"); // what production has, not what the tests have
        settings.stringPropertyNames().forEach(key -> command.add("-D" + key + "=" + settings.getProperty(key)));
        command.addAll(List.of(
                "-cp", (overlay == null ? "" : overlay + File.pathSeparator) + classPath(), "app.AccessRoutes"));
        command.addAll(arguments);
        return command;
    }

    /** Under Maven's exec plugin the class path is that of a class loader of its own. */
    private static String classPath() {
        var entries = WorkerProcess.class.getClassLoader() instanceof URLClassLoader loader
                ? Stream.of(loader.getURLs()).map(URL::getPath)
                : Stream.of(System.getProperty("java.class.path").split(File.pathSeparator));
        // Surefire's ends with an empty entry, which is the current folder: the sources would be on the class path.
        return entries.filter(entry -> !entry.isEmpty()).collect(Collectors.joining(File.pathSeparator));
    }

    public String output() {
        try {
            return Files.readString(output);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Whether its routes have been started; it may have ended since. */
    public boolean isUp() {
        return output().contains("(access-routes) started in");
    }

    public boolean alive() {
        return process.isAlive();
    }

    /** The processor time that it has used. */
    public Duration cpu() {
        return process.info().totalCpuDuration().orElse(Duration.ZERO);
    }

    /** SIGKILL. */
    public void kill() {
        process.destroyForcibly();
        waitForExit(10);
    }

    /** SIGTERM. */
    public void terminate() {
        process.destroy();
    }

    /** SIGSTOP: the process keeps its connections and does nothing. */
    public void freeze() throws IOException, InterruptedException {
        signal("-STOP");
    }

    /** SIGCONT. */
    public void thaw() throws IOException, InterruptedException {
        signal("-CONT");
    }

    /** The exit code; fails when the process does not end in time. */
    public int waitForExit(int seconds) {
        try {
            if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
                throw new AssertionError("the process has not ended after " + seconds + " s:\n" + output());
            }
            return process.exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private void signal(String signal) throws IOException, InterruptedException {
        new ProcessBuilder("kill", signal, Long.toString(process.pid())).start().waitFor();
    }
}
