package tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tests.support.TestSystem;

@DisplayName("The packaged application")
class PackagedApplicationIT {

    private static final Path JAR = Path.of("target", "access-routes.jar").toAbsolutePath();

    @RegisterExtension
    final TestSystem system = new TestSystem();

    @TempDir
    Path elsewhere;

    @ParameterizedTest(name = "OPS-02 java -jar access-routes.jar {0} --help")
    @ValueSource(
            strings = {
                "",
                "run",
                "migrate",
                "tasks",
                "tasks list",
                "tasks replay",
                "enqueue",
                "outbox",
                "outbox list",
                "outbox discard",
                "dead-letters",
                "dead-letters list",
                "dead-letters replay"
            })
    void help(String command) throws Exception {
        var arguments = new ArrayList<>(List.of(command.split(" ")));
        arguments.removeIf(String::isEmpty);
        arguments.add("--help");

        var process = start(List.of(), arguments);

        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
        assertThat(output()).contains("Usage:");
    }

    @Test
    @DisplayName("OPS-02 migrates an empty database and runs, from another working directory, until it is stopped")
    void runs() throws Exception {
        var database = system.database() + "_packaged";
        TestSystem.createDatabase(database, "template0");
        var settings = system.settings("identity.db.url", TestSystem.stack().url(database));
        var options = new ArrayList<String>();
        settings.stringPropertyNames().forEach(name -> options.add("-D" + name + "=" + settings.getProperty(name)));
        var migrate = start(options, List.of("migrate"));
        assertThat(migrate.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(migrate.exitValue()).as(output()).isZero();

        var run = start(options, List.of()); // run is the default
        try {
            var ready = java.net.URI.create(
                    "http://localhost:" + settings.getProperty("management.port") + "/observe/health/ready");
            await().atMost(Duration.ofSeconds(30)).ignoreExceptions().until(() -> {
                var connection = (java.net.HttpURLConnection) ready.toURL().openConnection();
                return connection.getResponseCode() == 200;
            });
        } finally {
            run.destroy();
        }
        assertThat(run.waitFor(20, TimeUnit.SECONDS)).isTrue();
    }

    private Process start(List<String> options, List<String> arguments) throws IOException {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(options);
        command.addAll(List.of("-jar", JAR.toString()));
        command.addAll(arguments);
        return new ProcessBuilder(command)
                .directory(elsewhere.toFile())
                .redirectErrorStream(true)
                .redirectOutput(elsewhere.resolve("output").toFile())
                .start();
    }

    private String output() throws IOException {
        return Files.readString(elsewhere.resolve("output"));
    }
}
