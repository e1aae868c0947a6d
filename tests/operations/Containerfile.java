package tests.operations;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * The Containerfile, for as much of its language as it uses.
 *
 * @param copies what is copied, and where to, in the order of the layers
 * @param steps what is run at the end of the build of the image
 * @param user and group, as numbers
 */
record Containerfile(
        String from,
        Path folder,
        Map<String, String> copies,
        List<List<String>> steps,
        String user,
        int port,
        List<String> entrypoint,
        List<String> command) {

    static Containerfile read() {
        var values = new LinkedHashMap<String, String>();
        var copies = new LinkedHashMap<String, String>();
        var steps = new ArrayList<List<String>>();
        try {
            for (var line : Files.readAllLines(Path.of("Containerfile"))) {
                if (line.isBlank() || line.startsWith("#")) {
                    continue;
                }
                var words = line.split(" ", 2);
                if (words[0].equals("COPY")) {
                    var paths = words[1].split(" ");
                    assertThat(paths).as(line).hasSize(2);
                    assertThat(steps).as("steps come after what they need").isEmpty();
                    copies.put(paths[0], paths[1]);
                } else if (words[0].equals("RUN")) {
                    assertThat(values).as("steps are root's").doesNotContainKey("USER");
                    steps.add(words(words[1]));
                } else {
                    assertThat(values.put(words[0], words[1])).as(line).isNull();
                }
            }
            assertThat(values).containsOnlyKeys("FROM", "WORKDIR", "USER", "EXPOSE", "ENTRYPOINT", "CMD");
            return new Containerfile(
                    values.get("FROM"),
                    Path.of(values.get("WORKDIR")),
                    copies,
                    steps,
                    values.get("USER"),
                    Integer.parseInt(values.get("EXPOSE")),
                    words(values.get("ENTRYPOINT")),
                    words(values.get("CMD")));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** In the exec form: a shell in front of Java would get SIGTERM in its place, and not pass it on. */
    private static List<String> words(String value) throws IOException {
        return new ObjectMapper().readValue(value, new TypeReference<List<String>>() {});
    }

    /** Lays out the image's files under this folder, which stands for its root. */
    void layOut(Path root) throws IOException {
        for (var copy : copies.entrySet()) {
            var source = Path.of(copy.getKey());
            var target = root.resolve(
                    folder.resolve(copy.getValue()).normalize().toString().substring(1));
            Files.createDirectories(target);
            if (Files.isDirectory(source)) {
                try (Stream<Path> files = Files.list(source)) {
                    for (var file : files.toList()) {
                        Files.copy(file, target.resolve(file.getFileName()));
                    }
                }
            } else {
                Files.copy(source, target.resolve(source.getFileName()));
            }
        }
    }

    /** The steps of the build, for an image that was laid out under this folder. */
    List<List<String>> steps(Path root) {
        return steps.stream().map(step -> under(root, step)).toList();
    }

    /** The entry point with these arguments, for an image that was laid out under this folder. */
    List<String> start(Path root, List<String> arguments) {
        var words = under(root, entrypoint);
        words.addAll(arguments);
        return words;
    }

    private List<String> under(Path root, List<String> command) {
        var words = new ArrayList<String>();
        command.forEach(word -> words.add(word.replace(folder + "/", root + folder.toString() + "/")));
        return words;
    }
}
