package app.commands;

import app.AccessApplication;
import app.Context;
import app.Settings;
import app.kafka.DeadLetterTopic;
import app.kafka.DeadLetterTopic.Letter;
import app.logging.Logging;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import processors.consuming.DeadLetter;
import processors.consuming.Received;

/** Looks at dead letters, and replays them through their handler (REP-16). */
@Command(
        name = "dead-letters",
        description = "Lists the dead letters of a consumer, or replays them.",
        mixinStandardHelpOptions = true,
        subcommands = {DeadLettersCommand.ListLetters.class, DeadLettersCommand.Replay.class})
public final class DeadLettersCommand extends GroupCommand {

    /** Whose letters. */
    static final class Of {

        @Option(
                names = "--of",
                paramLabel = "CONSUMER",
                defaultValue = "news",
                description = "Whose letters: news (the default) or access-cache.")
        private String consumer;

        Context context(CommandSpec spec) {
            return switch (consumer) {
                case "news" -> Context.NEWS;
                case "access-cache" -> Context.ACCESS_CACHE;
                default ->
                    throw new ParameterException(
                            spec.commandLine(), "--of '" + consumer + "' is not allowed; one of news, access-cache is");
            };
        }

        Settings.Consumer consumer(Settings settings, CommandSpec spec) {
            return context(spec) == Context.NEWS ? settings.authorReplica() : settings.accessCache();
        }
    }

    private static DeadLetterTopic open(Settings settings, Settings.Consumer consumer) {
        return new DeadLetterTopic(
                settings.brokers(), settings.kafkaClient(), consumer.deadLetterTopic(), consumer.group() + ".replay");
    }

    @Command(
            name = "list",
            description = "Lists the dead letters that were not replayed, without their keys and values.",
            mixinStandardHelpOptions = true)
    static final class ListLetters implements Callable<Integer> {

        private static final Map<String, String> HEADERS = new LinkedHashMap<>();

        static {
            HEADERS.put("code", DeadLetter.CODE);
            HEADERS.put("reason", DeadLetter.REASON);
            HEADERS.put("topic", DeadLetter.TOPIC);
            HEADERS.put("partition", DeadLetter.PARTITION);
            HEADERS.put("offset", DeadLetter.OFFSET);
            HEADERS.put("at", DeadLetter.AT);
        }

        @Spec
        private CommandSpec spec;

        @Mixin
        private SettingsOption settings = new SettingsOption();

        @Mixin
        private Of of = new Of();

        @Override
        public Integer call() {
            var loaded = settings.load();
            var rows = new ArrayList<Map<String, Object>>();
            try (var letters = open(loaded, of.consumer(loaded, spec))) {
                letters.forEachPending(letter -> {
                    var row = new LinkedHashMap<String, Object>();
                    row.put("id", letter.id());
                    HEADERS.forEach((column, header) -> row.put(column, letter.header(header)));
                    rows.add(row);
                });
            }
            var columns = new ArrayList<>(List.of("id"));
            columns.addAll(HEADERS.keySet());
            Table.print(spec.commandLine().getOut(), columns, rows);
            return 0;
        }
    }

    @Command(
            name = "replay",
            description = "Handles dead letters again, as if they had just come; all that wait, or one."
                    + " What fails again comes back as a new letter.",
            mixinStandardHelpOptions = true)
    static final class Replay implements Callable<Integer> {

        /** Letters in one transaction, at most. */
        private static final int BATCH = 500;

        @Spec
        private CommandSpec spec;

        @Mixin
        private SettingsOption settings = new SettingsOption();

        @Mixin
        private Of of = new Of();

        @Option(names = "--id", paramLabel = "ID", description = "Only this letter, as `dead-letters list` shows it.")
        private @Nullable String id;

        private int replayed;
        private int failed;

        @Override
        public Integer call() {
            var loaded = settings.load();
            var consumer = of.consumer(loaded, spec);
            if (!Logging.silently(() -> replay(loaded, consumer))) {
                spec.commandLine().getErr().println("dead letter " + id + " does not exist");
                return 1;
            }
            spec.commandLine().getOut().println("replayed " + replayed + " dead letters");
            if (failed > 0) {
                spec.commandLine().getErr().println(failed + " of them failed again");
                return 1;
            }
            return 0;
        }

        /** False where there is no such letter. */
        private boolean replay(Settings loaded, Settings.Consumer consumer) {
            try (var letters = open(loaded, consumer);
                    var handlers = AccessApplication.replaying(loaded, of.context(spec))) {
                if (id != null) {
                    var letter = letters.find(id);
                    if (letter == null) {
                        return false;
                    }
                    replay(letters, handlers, List.of(letter));
                } else {
                    var batch = new ArrayList<Letter>(BATCH);
                    letters.forEachPending(letter -> {
                        batch.add(letter);
                        if (batch.size() == BATCH) {
                            replay(letters, handlers, List.copyOf(batch));
                            batch.clear();
                        }
                    });
                    replay(letters, handlers, batch);
                    letters.allReplayed();
                }
                return true;
            }
        }

        private void replay(DeadLetterTopic letters, AccessApplication handlers, List<Letter> batch) {
            var sources = new ArrayList<Received>();
            for (var letter : batch) {
                replayed++;
                var source = letters.source(letter);
                if (source != null) {
                    sources.add(source);
                } else {
                    failed++;
                    spec.commandLine()
                            .getOut()
                            .println("dead letter " + letter.id() + " holds no value, and its source has it no longer");
                }
            }
            if (!sources.isEmpty()) {
                for (var again : handlers.replay(of.context(spec), sources)) {
                    failed++;
                    spec.commandLine()
                            .getOut()
                            .println("failed again: " + again.source().topic() + " "
                                    + again.source().partition() + " "
                                    + again.source().offset() + ": "
                                    + again.rejection().code() + " "
                                    + again.rejection().reason());
                }
            }
        }
    }
}
