package app;

import app.commands.AnnounceCommand;
import app.commands.DeadLettersCommand;
import app.commands.EnqueueCommand;
import app.commands.MigrateCommand;
import app.commands.OutboxCommand;
import app.commands.RunCommand;
import app.commands.SettingsOption;
import app.commands.TasksCommand;
import app.db.Migrations.MigrationFailedException;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import processors.failures.Failures;
import processors.failures.TransientSqlFailure;

/** The command line. Exit code 0 only on success; an error is one line on standard error. */
@Command(
        name = "access-routes",
        description = "Tells every service, in order and without loss, what a user may do now.",
        mixinStandardHelpOptions = true,
        version = "access-routes 1.0.0",
        subcommands = {
            RunCommand.class,
            MigrateCommand.class,
            TasksCommand.class,
            EnqueueCommand.class,
            AnnounceCommand.class,
            OutboxCommand.class,
            DeadLettersCommand.class
        })
public final class AccessRoutes implements Callable<Integer> {

    @Mixin
    private SettingsOption settings = new SettingsOption();

    public static void main(String[] arguments) {
        System.exit(commandLine().execute(arguments));
    }

    /** Without a command: run. */
    @Override
    public Integer call() throws Exception {
        return RunCommand.run(settings.load());
    }

    /** The command line, whose output and error stream are for the caller to choose. */
    public static CommandLine commandLine() {
        return new CommandLine(new AccessRoutes())
                .setExecutionExceptionHandler((failure, command, parsed) -> {
                    command.getErr().println(oneLine(failure));
                    return CommandLine.ExitCode.SOFTWARE;
                })
                .setParameterExceptionHandler((failure, arguments) -> {
                    var command = failure.getCommandLine();
                    command.getErr()
                            .println(failure.getMessage() + " (see "
                                    + command.getCommandSpec().qualifiedName() + " --help)");
                    return CommandLine.ExitCode.USAGE;
                });
    }

    private static String oneLine(Exception failure) {
        if (failure instanceof SettingException || failure instanceof MigrationFailedException) {
            return String.valueOf(failure.getMessage());
        }
        return (TransientSqlFailure.isTransient(failure) ? "the database cannot be used: " : "")
                + Failures.describe(failure);
    }
}
