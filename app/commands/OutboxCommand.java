package app.commands;

import app.db.Statements;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Looks at events that Kafka can never take, and discards them once their users were told anew (EVT-04). */
@Command(
        name = "outbox",
        description = "Lists parked events, or discards one.",
        mixinStandardHelpOptions = true,
        subcommands = {OutboxCommand.ListRows.class, OutboxCommand.Discard.class})
public final class OutboxCommand extends GroupCommand {

    @Command(name = "list", description = "Lists parked events, oldest first.", mixinStandardHelpOptions = true)
    static final class ListRows extends IdentityCommand {

        @Option(names = "--parked", required = true, description = "The events that Kafka refused for good.")
        private boolean parked;

        @Override
        int run(Statements statements) {
            Table.print(
                    out(),
                    List.of("id", "user_id", "message_id", "created_at", "parked_at", "bytes", "parked_reason"),
                    statements.query("identity/outbox/list-parked", Map.of()));
            return 0;
        }
    }

    @Command(
            name = "discard",
            description = "Deletes a parked event. Tell its user anew first (announce --user): their caches lack it.",
            mixinStandardHelpOptions = true)
    static final class Discard extends IdentityCommand {

        @Parameters(paramLabel = "ID", description = "The row, as `outbox list --parked` shows it.")
        private long id;

        @Override
        int run(Statements statements) {
            if (statements.update("identity/outbox/discard-parked", Map.of("id", id)) == 0) {
                err().println("row " + id + " does not exist or is not parked");
                return 1;
            }
            out().println("row " + id + " is discarded");
            return 0;
        }
    }
}
