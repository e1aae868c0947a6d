package tests.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the manifests of k8s/ say, for commands that go to a cluster: form, names and settings are checked. */
final class Cluster {

    private static final Path MANIFESTS = Path.of("k8s");
    private static final Set<String> VERBS =
            Set.of("get", "logs", "scale", "set", "rollout", "exec", "patch", "debug", "delete", "port-forward");
    private static final Pattern NAME = Pattern.compile("(?:deployment|scaledobject)/([a-z0-9-]+)");
    private static final Pattern LABEL = Pattern.compile("([a-z./-]+)=([a-z0-9-]+)");
    private static final Pattern VARIABLE = Pattern.compile("([A-Z][A-Z0-9_]+)=\\S+");

    /** Fails where a command is none, or names what is not there. */
    void check(List<String> arguments) {
        assertThat(arguments.get(0)).isIn(VERBS);
        for (int i = 1; i < arguments.size(); i++) {
            var argument = arguments.get(i);
            var name = NAME.matcher(argument);
            var variable = VARIABLE.matcher(argument);
            if (name.matches()) {
                requireManifest("(?m)^ *name: " + name.group(1) + "$", argument);
            } else if (variable.matches()) {
                assertThat(environmentNames()).contains(variable.group(1));
            } else if (argument.startsWith("/etc/")) {
                requireManifest(
                        "(?m)^ *mountPath: " + argument.substring(0, argument.lastIndexOf('/')) + "$", argument);
            } else if (arguments.get(i - 1).equals("-l")) {
                var label = LABEL.matcher(argument);
                assertThat(label.matches()).as(argument).isTrue();
                requireManifest("(?m)^ *" + label.group(1) + ": " + label.group(2) + "$", argument);
            }
        }
    }

    /** Every setting as an environment variable. */
    private static Set<String> environmentNames() {
        return Pattern.compile("(?m)^([a-z][a-z0-9.-]+)=")
                .matcher(read(Path.of("application.properties")))
                .results()
                .map(setting -> setting.group(1)
                        .toUpperCase(java.util.Locale.ROOT)
                        .replace('.', '_')
                        .replace('-', '_'))
                .collect(Collectors.toCollection(TreeSet::new));
    }

    private static void requireManifest(String pattern, String what) {
        assertThat(manifests()).as(what).containsPattern(pattern);
    }

    private static String manifests() {
        try (Stream<Path> files = Files.walk(MANIFESTS)) {
            return files.filter(file -> file.toString().endsWith(".yaml"))
                    .map(Cluster::read)
                    .collect(Collectors.joining("\n"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
