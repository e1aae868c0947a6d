package app.commands;

import app.Settings;
import app.db.Databases;
import app.db.Statements;
import java.io.PrintWriter;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;

/** A command that works on the identity database. */
abstract class IdentityCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Mixin
    private SettingsOption settingsOption = new SettingsOption();

    private Settings settings;

    @Override
    public final Integer call() throws Exception {
        settings = settingsOption.load();
        try (var database = Databases.pool("access-routes-command", settings.identityDatabase())) {
            return run(new Statements(database));
        }
    }

    /** @return the exit code: 0 only on success */
    abstract int run(Statements statements) throws Exception;

    Settings settings() {
        return settings;
    }

    PrintWriter out() {
        return spec.commandLine().getOut();
    }

    PrintWriter err() {
        return spec.commandLine().getErr();
    }
}
