package tests.support;

import app.AccessApplication;
import app.Settings;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/** The instances that a test has started, in this JVM or as processes of their own. */
public final class Instances implements AutoCloseable {

    private final List<AccessApplication> applications = new ArrayList<>();
    private final List<WorkerProcess> processes = new ArrayList<>();

    /** What every instance of a test has: a management port of its own; then what the test wants, in pairs of name and value. */
    static Properties settings(Properties settings, String... overrides) {
        settings.setProperty(
                "management.port", Integer.toString(ManagementPort.free().number()));
        settings.setProperty("management.readiness-interval", "500ms");
        RouteCoverage.prepare(settings);
        for (int i = 0; i < overrides.length; i += 2) {
            settings.setProperty(overrides[i], overrides[i + 1]);
        }
        return settings;
    }

    public AccessApplication start(Properties settings) {
        var application = new AccessApplication(Settings.load(null, Map.of(), settings));
        applications.add(application);
        return application.start();
    }

    /**
     * @param system whose instance it is: its output is called so
     * @param jvm options of its JVM; null for those of a small one that starts soon
     * @param overlay a folder whose files stand in front of those of the application; null for none
     */
    WorkerProcess startProcess(String system, Properties settings, @Nullable List<String> jvm, @Nullable Path overlay)
            throws IOException {
        var process = WorkerProcess.start(
                system + "-" + (processes.size() + 1),
                settings,
                jvm == null ? List.of("-Xmx256m", "-XX:TieredStopAtLevel=1") : jvm,
                List.of("run"),
                overlay);
        processes.add(process);
        return process;
    }

    /** Kills the processes, and stops the others. */
    @Override
    public void close() {
        processes.forEach(WorkerProcess::kill);
        applications.forEach(RouteCoverage::note);
        applications.forEach(AccessApplication::close);
        processes.clear();
        applications.clear();
    }
}
