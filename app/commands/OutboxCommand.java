package app.commands;

import app.db.Databases;
import app.db.Statements;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Looks at events that Kafka can never take, and discards them once their users were told anew (EVT-04). */
@Command(
        name = "outbox",
        description = "Lists parked events, or discards one.",
        mixinStandardHelpOptions = true,
        subcommands = {OutboxCommand.ListRows.class, OutboxCommand.Discard.class})
public final class OutboxCommand implements Callable<Integer> {

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call() {
        spec.commandLine().usage(spec.commandLine().getErr());
        return 2;
    }

    @Command(name = "list", description = "Lists parked events, oldest first.", mixinStandardHelpOptions = true)
    static final class ListRows implements Callable<Integer> {

        @Spec
        private CommandSpec spec;

        @Mixin
        private SettingsOption settings = new SettingsOption();

        @Option(names = "--parked", required = true, description = "The events that Kafka refused for good.")
        private boolean parked;

        @Override
        public Integer call() {
            try (var database =
                    Databases.pool("access-routes-outbox", settings.load().identityDatabase())) {
                Table.print(
                        spec.commandLine().getOut(),
                        List.of("id", "user_id", "message_id", "created_at", "parked_at", "bytes", "parked_reason"),
                        new Statements(database).query("identity/outbox/list-parked", Map.of()));
                return 0;
            }
        }
    }

    @Command(
            name = "discard",
            description = "Deletes a parked event. Tell its user anew first: their caches lack it.",
            mixinStandardHelpOptions = true)
    static final class Discard implements Callable<Integer> {

        @Spec
        private CommandSpec spec;

        @Mixin
        private SettingsOption settings = new SettingsOption();

        @Parameters(paramLabel = "ID", description = "The row, as `outbox list --parked` shows it.")
        private long id;

        @Override
        public Integer call() {
            try (var database =
                    Databases.pool("access-routes-outbox", settings.load().identityDatabase())) {
                if (new Statements(database).update("identity/outbox/discard-parked", Map.of("id", id)) == 0) {
                    spec.commandLine().getErr().println("row " + id + " does not exist or is not parked");
                    return 1;
                }
                spec.commandLine().getOut().println("row " + id + " is discarded");
                return 0;
            }
        }
    }
}
