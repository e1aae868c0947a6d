package tests.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.fabric8.kubernetes.api.model.Quantity;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import tests.support.AccessTopic;
import tests.support.ManagementPort;
import tests.support.TestSystem;

/**
 * The image without a container engine: its files as the Containerfile lays them out, its entry point, its user, the memory of
 * the manifests, and no file that this user could write but in /tmp.
 */
@DisplayName("The container image")
class ContainerImageIT {

    private static final Containerfile IMAGE = Containerfile.read();
    private static final String PATH = System.getProperty("java.home") + "/bin:/usr/bin:/bin";

    @RegisterExtension
    final TestSystem system = new TestSystem();

    @TempDir
    private Path root;

    @TempDir
    private Path mounts;

    private final List<Process> processes = new ArrayList<>();

    @BeforeEach
    void layOut() throws IOException, InterruptedException {
        IMAGE.layOut(root);
        for (var step : IMAGE.steps(root)) {
            var output = mounts.resolve("step");
            var process = new ProcessBuilder(step).directory(folder()).redirectErrorStream(true);
            process.environment().put("PATH", PATH);
            var ended = process.redirectOutput(output.toFile()).start();
            processes.add(ended);
            assertThat(ended.waitFor(120, TimeUnit.SECONDS))
                    .as("%s has ended", step)
                    .isTrue();
            assertThat(ended.exitValue()).as(Files.readString(output)).isZero();
        }
        permit(root, "r-xr-xr-x", "r--r--r--");
        permit(mounts, "rwxr-xr-x", "r--r--r--");
    }

    @AfterEach
    void end() throws IOException, InterruptedException {
        for (var process : processes) {
            process.destroyForcibly().waitFor();
        }
        permit(root, "rwxr-xr-x", "r--r--r--"); // or it could not be deleted
    }

    private static void permit(Path folder, String folders, String files) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (var path : all.toList()) {
                Files.setPosixFilePermissions(
                        path, PosixFilePermissions.fromString(Files.isDirectory(path) ? folders : files));
            }
        }
    }

    @Test
    @DisplayName("OPS-08 migrates, fans out within its memory, and ends on SIGTERM in mid-task within 20 s (cases 41)")
    void runs() throws Exception {
        var empty = system.database() + "_image";
        TestSystem.createDatabase(empty, "template0");
        var owner = system.settings("identity.db.url", TestSystem.stack().url(empty), "identity.enabled", "true");
        var migration = start("access-identity-migrate", owner, "migrate");
        assertThat(migration.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(migration.exitValue()).as(output("migrate")).isZero();

        var settings = system.settings();
        settings.remove("db.migration.user");
        var port = ManagementPort.of(settings);
        long begun = System.nanoTime();
        var run = start("access-identity", settings, "run");
        await().ignoreExceptionsInstanceOf(AssertionError.class).until(port::isReady);
        System.out.printf("ready %.1f s after the start of the process%n", (System.nanoTime() - begun) / 1e9);
        assertUsesClassArchive(run);
        assertThat(port.isLive()).isTrue();
        assertThat(port.get("/observe/metrics").statusCode()).isEqualTo(200);

        var identity = system.identity();
        var role = identity.role("small");
        var users = identity.usersOf(role, 5_000);
        var small = identity.enqueue(role);
        await().until(() -> identity.status(small).equals("Completed"));
        assertThat(AccessTopic.countByUser(system.topic().records(5_000))).containsOnlyKeys(users);
        role = identity.role("large");
        identity.usersOf(role, 30_000);
        var large = identity.enqueue(role);
        await().until(() -> (int) identity.task(large).get("processed_count") > 1_000);
        assertMemory(run, "access-identity");
        run.destroy();

        assertThat(run.waitFor(20, TimeUnit.SECONDS)).as("has ended").isTrue();
        assertThat(run.exitValue()).as(output("run")).isEqualTo(143);
        assertThat(identity.task(large)).containsEntry("status", "InProgress").containsEntry("attempt_count", 0);
        assertThat(output("run")).contains("lease handed back taskId=" + large);
    }

    private File folder() {
        return root.resolve(IMAGE.folder().toString().substring(1)).toFile();
    }

    private static Workload workload(String manifest) throws IOException {
        return Workload.of(Kustomization.render(Path.of("k8s/base"))).stream()
                .filter(candidate -> candidate.name().equals(manifest))
                .findFirst()
                .orElseThrow();
    }

    /** Where the kernel tells: Java says nothing when it cannot use the archive, and starts slowly. */
    private static void assertUsesClassArchive(Process process) throws IOException {
        var files = Path.of("/proc", Long.toString(process.pid()), "maps");
        if (Files.exists(files)) {
            assertThat(Files.readString(files)).contains("/access-routes.jsa");
        }
    }

    /** Where the kernel tells: what the process had in memory at its height, which a container is killed for. */
    private static void assertMemory(Process process, String manifest) throws IOException {
        var status = Path.of("/proc", Long.toString(process.pid()), "status");
        if (Files.exists(status)) {
            var height = Pattern.compile("VmHWM:\\s+(\\d+) kB").matcher(Files.readString(status));
            assertThat(height.find()).isTrue();
            assertThat(Long.parseLong(height.group(1)) * 1_024).isLessThan(memory(workload(manifest)));
        }
    }

    /** As the manifest of this name starts it: its arguments and memory. */
    private Process start(String manifest, Properties settings, String command) throws IOException {
        var workload = workload(manifest);
        var arguments = new ArrayList<>(workload.container().getArgs());
        assertThat(arguments).startsWith(command, "--config");
        var file = mounts.resolve(command + ".properties");
        try (var out = Files.newBufferedWriter(file)) {
            settings.store(out, null);
        }
        arguments.set(2, file.toString());
        var words = new ArrayList<>(asItsUser());
        words.addAll(IMAGE.start(root, arguments));
        var builder = new ProcessBuilder(words)
                .directory(folder())
                .redirectErrorStream(true)
                .redirectOutput(mounts.resolve(command).toFile());
        builder.environment().clear();
        builder.environment()
                .putAll(Map.of(
                        "PATH",
                        PATH,
                        // Java would find this limit by itself in a container.
                        "JAVA_TOOL_OPTIONS",
                        "-XX:MaxRAM=" + memory(workload)));
        var process = builder.start();
        processes.add(process);
        return process;
    }

    private static long memory(Workload workload) {
        return Quantity.getAmountInBytes(
                        workload.container().getResources().getLimits().get("memory"))
                .longValueExact();
    }

    /** Root may write everywhere; so what root builds is started as the user of the image. */
    private static List<String> asItsUser() {
        if (!System.getProperty("user.name").equals("root")) {
            return List.of();
        }
        assumeTrue(Files.isExecutable(Path.of("/usr/bin/setpriv")), "no setpriv to become another user with");
        var ids = IMAGE.user().split(":");
        return List.of("setpriv", "--reuid=" + ids[0], "--regid=" + ids[1], "--clear-groups", "--no-new-privs");
    }

    private String output(String command) throws IOException {
        return Files.readString(mounts.resolve(command));
    }
}
