package tests.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Prometheus' own checker. Where it is not on the PATH, the tests that need it are skipped and say so; with {@code
 * ACCESS_ROUTES_REQUIRE_TOOLS=true}, as .ci/run sets it, they fail.
 */
final class Promtool {

    private Promtool() {}

    /** Runs it in a folder; fails with what it says, unless it is content. */
    static void run(Path folder, String... arguments) throws IOException, InterruptedException {
        require();
        var command = new String[arguments.length + 1];
        command[0] = "promtool";
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        var process = new ProcessBuilder(command)
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        var output = new String(process.getInputStream().readAllBytes());
        assertThat(process.waitFor())
                .as(String.join(" ", command) + " in " + folder + ":\n" + output)
                .isZero();
    }

    private static void require() {
        boolean there = Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "promtool")));
        var missing = "promtool is not on the PATH: install Debian's package prometheus";
        if (!there && "true".equals(System.getenv("ACCESS_ROUTES_REQUIRE_TOOLS"))) {
            fail(missing);
        }
        assumeTrue(there, missing);
    }
}
