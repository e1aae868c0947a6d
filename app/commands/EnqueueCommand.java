package app.commands;

import app.db.Databases;
import app.db.Statements;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Queues a fan-out task for a role, whatever its size. */
@Command(
        name = "enqueue",
        description = "Queues a fan-out task for a role with its present version, whatever its size.",
        mixinStandardHelpOptions = true)
public final class EnqueueCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Mixin
    private SettingsOption settings = new SettingsOption();

    @Parameters(paramLabel = "ROLE_ID", description = "The role whose users shall hear of it.")
    private UUID roleId;

    @Override
    public Integer call() {
        try (var database =
                Databases.pool("access-routes-enqueue", settings.load().identityDatabase())) {
            var queued = new Statements(database).query("identity/tasks/enqueue-task", Map.of("roleId", roleId));
            spec.commandLine().getOut().println("queued task " + queued.get(0).get("task_id"));
            return 0;
        }
    }
}
