package app.commands;

import app.AccessApplication;
import app.Settings;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** Runs the routes until the process is asked to stop. */
@Command(
        name = "run",
        description = "Runs the routes until the process is asked to stop (the default).",
        mixinStandardHelpOptions = true)
public final class RunCommand implements Callable<Integer> {

    @Mixin
    private SettingsOption settings = new SettingsOption();

    @Override
    public Integer call() throws Exception {
        return run(settings.load());
    }

    public static int run(Settings settings) throws Exception {
        return new AccessApplication(settings).run();
    }
}
