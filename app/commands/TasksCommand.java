package app.commands;

import app.db.Statements;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Looks at the queue of fan-out tasks, and replays what failed (FAN-22). */
@Command(
        name = "tasks",
        description = "Lists fan-out tasks, or replays a Failed one.",
        mixinStandardHelpOptions = true,
        subcommands = {TasksCommand.ListTasks.class, TasksCommand.Replay.class})
public final class TasksCommand extends GroupCommand {

    /** A task's status, as the database has it. */
    enum Status {
        Pending,
        InProgress,
        Completed,
        Failed
    }

    @Command(name = "list", description = "Lists tasks, oldest first.", mixinStandardHelpOptions = true)
    static final class ListTasks extends IdentityCommand {

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

        @Option(
                names = "--status",
                paramLabel = "STATUS",
                description = "Only tasks with this status: ${COMPLETION-CANDIDATES}.")
        private @Nullable Status status;

        @Override
        int run(Statements statements) {
            var parameters = Collections.singletonMap("status", status == null ? null : status.name());
            Table.print(out(), COLUMNS, statements.query("identity/tasks/list-tasks", parameters));
            return 0;
        }
    }

    @Command(
            name = "replay",
            description = "Puts a Failed task back into the queue, from its cursor.",
            mixinStandardHelpOptions = true)
    static final class Replay extends IdentityCommand {

        @Parameters(paramLabel = "ID", description = "The task.")
        private UUID id;

        @Option(
                names = "--from-start",
                description = "Tell every user of the role again, not only those after the cursor.")
        private boolean fromStart;

        @Override
        int run(Statements statements) {
            var replayed = statements.query("identity/tasks/replay-task", Map.of("id", id, "fromStart", fromStart));
            if (replayed.isEmpty()) {
                err().println("task " + id + " does not exist or is not Failed");
                return 1;
            }
            out().println("task " + id + " is Pending again");
            return 0;
        }
    }
}
