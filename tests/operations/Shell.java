package tests.operations;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import kafka.admin.ConfigCommand;
import org.apache.kafka.common.utils.Exit;
import org.apache.kafka.tools.TopicCommand;
import org.apache.kafka.tools.consumer.group.ConsumerGroupCommand;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.JdbcTemplate;
import scala.Console;
import tests.support.Command;
import tests.support.ProductionLog;

/**
 * The few commands that runbooks name, run in this process by the code that a shell would start: ours, Kafka's tools, an HTTP
 * client; and grep behind them. What goes to a cluster is checked for its form, and a log is what this process has logged.
 */
final class Shell {

    private static final HttpClient HTTP = HttpClient.newHttpClient();
    private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");
    private static final String JAR = "target/access-routes.jar";

    private final Properties settings;
    private final String brokers;
    private final JdbcTemplate owner;
    private final ProductionLog log;

    /**
     * @param settings of the instance that commands are run beside
     * @param owner of the schemas
     */
    Shell(Properties settings, String brokers, JdbcTemplate owner, ProductionLog log) {
        this.settings = settings;
        this.brokers = brokers;
        this.owner = owner;
        this.log = log;
    }

    record Result(int exitCode, String output) {}

    Result run(String line) {
        var parts = pipeline(line);
        var result = start(words(parts.get(0)));
        for (var filter : parts.subList(1, parts.size())) {
            result = new Result(result.exitCode(), grep(words(filter), result.output()));
        }
        return result;
    }

    private Result start(List<String> words) {
        var arguments = words.subList(1, words.size());
        return switch (words.get(0)) {
            case "java" -> java(arguments);
            case "curl" -> curl(arguments);
            case "psql" -> psql(arguments);
            case "kubectl" -> kubectl(arguments);
            case "kafka-topics.sh" -> tool(arguments, TopicCommand::main);
            case "kafka-consumer-groups.sh" -> tool(arguments, ConsumerGroupCommand::main);
            // Written in Scala, which prints to where standard output was when it was loaded.
            case "kafka-configs.sh" ->
                tool(
                        arguments,
                        all -> Console.withOut(System.out, () -> {
                            ConfigCommand.main(all);
                            return 0;
                        }));
            default -> throw new AssertionError("a runbook names a command that no test can run: " + words);
        };
    }

    private Result java(List<String> arguments) {
        assertThat(arguments).startsWith("-jar", JAR);
        var command =
                Command.run(settings, arguments.subList(2, arguments.size()).toArray(String[]::new));
        return new Result(command.exitCode(), command.output());
    }

    private Result curl(List<String> arguments) {
        assertThat(arguments).hasSize(2).startsWith("-s");
        try {
            var response = HTTP.send(
                    HttpRequest.newBuilder(URI.create(arguments.get(1))).build(), BodyHandlers.ofString());
            return new Result(0, response.body());
        } catch (IOException e) {
            return new Result(7, "");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    private Result psql(List<String> arguments) {
        assertThat(arguments).hasSize(3);
        assertThat(arguments.get(0)).endsWith("_DB_OWNER");
        assertThat(arguments.get(1)).isEqualTo("-f");
        try {
            owner.execute(Files.readString(Path.of(arguments.get(2))));
            return new Result(0, "");
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** What it would do is the cluster's; a log is what this process has logged. */
    private Result kubectl(List<String> arguments) {
        new Cluster().check(arguments);
        return new Result(0, arguments.get(0).equals("logs") ? log.text() : "");
    }

    private Result tool(List<String> arguments, Tool main) {
        assertThat(arguments).startsWith("--bootstrap-server", "$KAFKA");
        var all = new ArrayList<>(arguments);
        all.set(1, brokers);
        var printed = new ByteArrayOutputStream();
        var out = System.out;
        var err = System.err;
        var exit = new AtomicReference<@Nullable Integer>();
        Exit.setExitProcedure((code, message) -> {
            exit.compareAndSet(null, code); // a tool may catch what ends it, and end with an error then
            throw new Ended();
        });
        var both = new PrintStream(printed, true, StandardCharsets.UTF_8);
        System.setOut(both);
        System.setErr(both);
        try {
            main.run(all.toArray(String[]::new));
        } catch (Ended e) {
            // as the process would
        } catch (Exception e) {
            throw new AssertionError(e);
        } finally {
            System.setOut(out);
            System.setErr(err);
            Exit.resetExitProcedure();
        }
        return new Result(Objects.requireNonNullElse(exit.get(), 0), printed.toString(StandardCharsets.UTF_8));
    }

    private interface Tool {
        void run(String... arguments) throws Exception;
    }

    private static final class Ended extends RuntimeException {}

    private static String grep(List<String> words, String text) {
        assertThat(words.get(0)).isEqualTo("grep");
        boolean extended = words.get(1).equals("-E");
        var expression = words.get(extended ? 2 : 1);
        var pattern = Pattern.compile(extended ? expression : expression.replaceAll("[{}()|+?]", "\\\\$0"));
        return text.lines().filter(line -> pattern.matcher(line).find()).collect(Collectors.joining("\n"));
    }

    private static List<String> pipeline(String line) {
        return Arrays.stream(line.split(" \\| (?=grep )")).toList();
    }

    private static List<String> words(String line) {
        return WORD.matcher(line)
                .results()
                .map(word ->
                        word.group(1) != null ? word.group(1) : word.group(2) != null ? word.group(2) : word.group(3))
                .toList();
    }
}
