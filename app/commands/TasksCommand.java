package app.commands;

import app.db.Databases;
import app.db.Statements;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Looks at the queue of fan-out tasks, and replays what failed (FAN-22). */
@Command(
        name = "tasks",
        description = "Lists fan-out tasks, or replays a Failed one.",
        mixinStandardHelpOptions = true,
        subcommands = {TasksCommand.ListTasks.class, TasksCommand.Replay.class})
public final class TasksCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getErr());
        return 2;
    }

    /** A task's status, as the database has it. */
    enum Status {
        Pending,
        InProgress,
        Completed,
        Failed
    }

    @Command(name = "list", description = "Lists tasks, oldest first.", mixinStandardHelpOptions = true)
    static final class ListTasks implements Callable<Integer> {

        private static final List<String> COLUMNS = List.of(
                "id",
                "status",
                "role_id",
                "role_version",
                "processed_count",
                "attempt_count",
                "created_at",
                "completed_at",
                "lease_expires_at");

        @Spec
        private CommandSpec spec;

        @Mixin
        private SettingsOption settings = new SettingsOption();

        @Option(
                names = "--status",
                paramLabel = "STATUS",
                description = "Only tasks with this status: ${COMPLETION-CANDIDATES}.")
        private @Nullable Status status;

        @Override
        public Integer call() {
            try (var database =
                    Databases.pool("access-routes-tasks", settings.load().identityDatabase())) {
                Table.print(
                        spec.commandLine().getOut(),
                        COLUMNS,
                        new Statements(database)
                                .query(
                                        "identity/tasks/list-tasks",
                                        Collections.singletonMap("status", status == null ? null : status.name())));
                return 0;
            }
        }
    }

    @Command(
            name = "replay",
            description = "Puts a Failed task back into the queue, from its cursor.",
            mixinStandardHelpOptions = true)
    static final class Replay implements Callable<Integer> {

        @Spec
        private CommandSpec spec;

        @Mixin
        private SettingsOption settings = new SettingsOption();

        @Parameters(paramLabel = "ID", description = "The task.")
        private UUID id;

        @Option(
                names = "--from-start",
                description = "Tell every user of the role again, not only those after the cursor.")
        private boolean fromStart;

        @Override
        public Integer call() {
            try (var database =
                    Databases.pool("access-routes-tasks", settings.load().identityDatabase())) {
                var replayed = new Statements(database)
                        .query("identity/tasks/replay-task", Map.of("id", id, "fromStart", fromStart));
                if (replayed.isEmpty()) {
                    spec.commandLine().getErr().println("task " + id + " does not exist or is not Failed");
                    return 1;
                }
                spec.commandLine().getOut().println("task " + id + " is Pending again");
                return 0;
            }
        }
    }
}
