package tests.history;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import javax.tools.ToolProvider;
import tests.history.Faults.Fault;
import tests.support.TestSystem;

/**
 * The application with one of its safeguards taken out: changed copies of its files, in front of the others on the class
 * path of its processes. What shows that the checker would notice.
 */
final class Mutant {

    private static final Path BASE = Path.of("");

    private final Path overlay;
    private final Set<String> changes = new HashSet<>();
    private List<Fault> faults = List.of(Fault.values());
    private boolean ownTransactionalIds;
    private boolean ofCaches;
    private final List<String> databaseChanges = new ArrayList<>();

    Mutant(String name) {
        overlay = Path.of("target", "mutants", name);
    }

    /** Replaces text in a statement or a class of the processes; the text must be there. */
    Mutant replace(String file, String text, String by) throws IOException {
        var before = changes.contains(file) ? overlay.resolve(file) : BASE.resolve(file);
        changes.add(file);
        var source = Files.readString(before);
        if (!source.contains(text)) {
            throw new IllegalArgumentException(file + " has no '" + text + "'");
        }
        var changed = overlay.resolve(file);
        Files.createDirectories(changed.getParent());
        Files.writeString(changed, source.replace(text, by));
        if (file.endsWith(".java")) {
            int result = ToolProvider.getSystemJavaCompiler()
                    .run(
                            null,
                            null,
                            null,
                            "-parameters",
                            "-implicit:none",
                            "-proc:none",
                            "-cp",
                            System.getProperty("java.class.path"),
                            "-d",
                            overlay.toString(),
                            changed.toString());
            if (result != 0) {
                throw new IllegalArgumentException(changed + " does not compile");
            }
        }
        return this;
    }

    /** What brings it to light soonest; without it, every fault. */
    Mutant under(Fault... kinds) {
        faults = List.of(kinds);
        return this;
    }

    List<Fault> faults() {
        return faults;
    }

    /** A safeguard of the caches: they run too. */
    Mutant ofCaches() {
        ofCaches = true;
        return this;
    }

    boolean isOfCaches() {
        return ofCaches;
    }

    /** Each process has transactional ids of its own: Kafka fences nobody. */
    Mutant ownTransactionalIds() {
        ownTransactionalIds = true;
        return this;
    }

    /** The settings of the n-th process. */
    String[] settings(int process, String... settings) {
        if (!ownTransactionalIds) {
            return settings;
        }
        var all = Arrays.copyOf(settings, settings.length + 2);
        all[settings.length] = "identity.relay.transactional-id-prefix";
        all[settings.length + 1] = "mutant-" + ProcessHandle.current().pid() + "-" + process;
        return all;
    }

    /** Changes the database before the history begins. */
    Mutant change(String sql) {
        databaseChanges.add(sql);
        return this;
    }

    void apply(TestSystem system) {
        databaseChanges.forEach(system.identity().sql()::execute);
    }

    /** What stands in front of the application's own files. */
    Path overlay() {
        return overlay;
    }
}
