package app.commands;

import app.db.Migrations;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** Brings the schemas of the enabled contexts up to date (OPS-03). */
@Command(
        name = "migrate",
        description = "Brings the schemas up to date; safe to run at any time, by several instances at once.",
        mixinStandardHelpOptions = true)
public final class MigrateCommand implements Callable<Integer> {

    @Spec
    @SuppressWarnings("NullAway") // injected
    private CommandSpec spec;

    @Mixin
    private SettingsOption settings = new SettingsOption();

    @Override
    public Integer call() {
        int applied = new Migrations(settings.load()).run();
        PrintWriter out = spec.commandLine().getOut();
        out.println("applied " + applied + " migrations");
        return 0;
    }
}
