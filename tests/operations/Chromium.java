package tests.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Assumptions;

/** A Chromium without a window, and without any host but this one. */
final class Chromium {

    private final Path folder;

    private Chromium(Path folder) {
        this.folder = folder;
    }

    /** Skips the test where there is none, and fails it where {@code ACCESS_ROUTES_REQUIRE_TOOLS} says that there must be. */
    static Chromium orSkip(Path folder) {
        boolean installed = Arrays.stream(System.getenv("PATH").split(File.pathSeparator))
                .anyMatch(directory -> Files.isExecutable(Path.of(directory, "chromium")));
        if (Boolean.parseBoolean(System.getenv("ACCESS_ROUTES_REQUIRE_TOOLS"))) {
            assertThat(installed).as("chromium is on the PATH").isTrue();
        }
        Assumptions.assumeTrue(installed, "chromium is not on the PATH");
        return new Chromium(folder);
    }

    /**
     * What a visit has shown.
     *
     * @param document the page as the browser has understood it
     * @param complaints what the console says
     */
    record Visit(String document, List<String> complaints, BufferedImage picture) {}

    /**
     * @param dark what the system that the browser runs on prefers
     * @param picture where the screenshot stays
     */
    Visit visit(String url, boolean dark, Path picture) throws IOException, InterruptedException {
        var document = folder.resolve("document").toFile();
        var log = folder.resolve("log").toFile();
        var process = new ProcessBuilder(
                        "chromium",
                        "--headless",
                        "--no-sandbox",
                        "--disable-gpu",
                        "--no-first-run",
                        "--disable-background-networking",
                        "--disable-component-update",
                        "--disable-sync",
                        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost",
                        "--user-data-dir=" + folder.resolve("profile"),
                        "--blink-settings=preferredColorScheme=" + (dark ? 0 : 1),
                        "--hide-scrollbars",
                        "--window-size=1200,1600",
                        "--enable-logging=stderr",
                        "--screenshot=" + picture.toAbsolutePath(),
                        "--dump-dom",
                        url)
                .redirectOutput(document)
                .redirectError(log)
                .start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS))
                    .as("chromium ends")
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(process.exitValue())
                .as(() -> "chromium:\n" + read(log.toPath()))
                .isZero();
        return new Visit(
                read(document.toPath()),
                read(log.toPath())
                        .lines()
                        .filter(line -> line.contains(":CONSOLE:"))
                        .toList(),
                ImageIO.read(picture.toFile()));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
