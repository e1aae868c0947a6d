package app.commands;

import app.Settings;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What every command takes. */
public final class SettingsOption {

    @Option(names = "--config", paramLabel = "FILE", description = "A properties file that overrides the defaults.")
    private @Nullable Path file;

    public Settings load() {
        return Settings.load(file);
    }
}
