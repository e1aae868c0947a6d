package app.commands;

import app.Settings;
import app.logging.Logging;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What every command takes. */
public final class SettingsOption {

    @Option(names = "--config", paramLabel = "FILE", description = "A properties file that overrides the defaults.")
    private @Nullable Path file;

    /** The settings in force; from here on, the log is as they say. */
    public Settings load() {
        var settings = Settings.load(file);
        Logging.use(settings.logsJson());
        return settings;
    }
}
