package app.commands;

import app.db.Statements;
import java.util.Map;
import java.util.UUID;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Queues a fan-out task for a role, whatever its size. */
@Command(
        name = "enqueue",
        description = "Queues a fan-out task for a role with its present version, whatever its size.",
        mixinStandardHelpOptions = true)
public final class EnqueueCommand extends IdentityCommand {

    @Parameters(paramLabel = "ROLE_ID", description = "The role whose users shall hear of it.")
    private UUID roleId;

    @Override
    int run(Statements statements) {
        var queued = statements.query("identity/tasks/enqueue-task", Map.of("roleId", roleId));
        out().println("queued task " + queued.get(0).get("task_id"));
        return 0;
    }
}
