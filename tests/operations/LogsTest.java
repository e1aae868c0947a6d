package tests.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import tests.support.NewsSystem;
import tests.support.OtlpEndpoint;
import tests.support.TestSystem;
import tests.support.UserEvent;
import tests.support.WorkerProcess;

@DisplayName("Logs")
class LogsTest {

    private static final ObjectMapper JSON = JsonMapper.builder()
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();
    private static final String UUID_PATTERN = "[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}";

    @RegisterExtension
    final TestSystem system = new TestSystem();

    @RegisterExtension
    final NewsSystem news = new NewsSystem();

    @Test
    @DisplayName("FAN-16 lines are for people by default: message, fields, and the CorrelationId of the run")
    void text() throws Exception {
        var identity = system.identity();
        var role = identity.role("agent");
        identity.usersOf(role, 3);
        var process = system.startProcess("identity.fanout.batch-size", "2");
        var task = identity.enqueue(role);
        await().until(() -> process.output().contains("task completed"));
        var output = stop(process);

        var run = output.lines()
                .filter(line -> line.contains("job started"))
                .map(line -> line.replaceAll(".* correlationId=", ""))
                .toList();
        assertThat(run).hasSize(1).first().asString().matches(UUID_PATTERN);
        for (var line : List.of(
                "access.fanout - job started jobRunId=" + run.get(0),
                "access.fanout - task dequeued taskId=" + task + " roleId=" + role + " attempt=1",
                "access.fanout - batch processed roleId=" + role + " rows=2 cursor=" + UUID_PATTERN,
                "access.fanout - batch processed roleId=" + role + " rows=1 cursor=" + UUID_PATTERN,
                "access.fanout - task completed roleId=" + role + " processedCount=3 durationMs=\\d+")) {
            assertThat(output)
                    .containsPattern("(?m)^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z INFO  \\[[^]]+] " + line
                            + " correlationId=" + run.get(0) + "$");
        }
        assertThat(output).containsPattern("(?m) access.relay - lanes held lanes=\\[0, 1, 2, 3]$");
    }

    @Test
    @DisplayName(
            "FAN-16 REP-18 with log.format=json everything is one JSON object a line, with its fields, the run's or the record's CorrelationId, and the span; nothing is left on a thread for the next run")
    void json() throws Exception {
        var identity = system.identity();
        var good = identity.role("agent");
        var bad = identity.role("manager");
        identity.usersOf(good, 3);
        identity.usersOf(bad, 1);
        identity.sql().execute("""
                        create function identity.refuse() returns trigger language plpgsql security definer as
                            'begin
                               if new.version_source like ''%%%s'' then
                                 raise exception E''first line\\nsecond line'';
                               end if;
                               return new;
                             end';
                        create trigger refuse before insert on identity.outbox for each row
                            execute function identity.refuse();""".formatted(bad));
        var endpoint = new OtlpEndpoint();
        var settings = new ArrayList<>(List.of(
                "log.format", "json",
                "tracing.otlp-endpoint", endpoint.url(),
                "identity.fanout.polling-interval", "1h"));
        settings.addAll(List.of(
                "news.enabled", "true",
                "news.db.url", TestSystem.stack().url(news.database()),
                "news.db.user", "news_author_replica",
                "news.replica.topic", news.topic(),
                "news.replica.group", news.group(),
                "news.replica.dlq-topic", news.deadLetterTopic()));
        var process = system.startProcess(settings.toArray(String[]::new));
        var user = UUID.randomUUID();
        var trace = "0af7651916cd43dd8448eb211c80319c";
        var correlation = UUID.randomUUID();
        news.send(
                UserEvent.upserted(user, 1, "Qmarked", "Petrov")
                        .header("CorrelationId", correlation.toString())
                        .header("traceparent", "00-" + trace + "-b7ad6b7169203331-01"),
                UserEvent.upserted(user, 2).value("{\"Name\": \"Qmarked\", +79995550000"));
        for (var role : List.of(good, bad, good)) {
            long ended = ends(process);
            identity.enqueue(role);
            await().until(() -> ends(process) > ended);
        }
        news.awaitHandled();
        await().until(() -> process.output().contains("dead-lettered"));
        var output = stop(process);
        endpoint.close();

        var lines = output.lines().map(LogsTest::read).toList();
        assertThat(lines)
                .allSatisfy(line -> assertThat(line.fieldNames())
                        .toIterable()
                        .contains("timestamp", "level", "logger", "thread", "message"));
        var runs = lines.stream().filter(line -> is(line, "job started")).toList();
        for (var run : runs) {
            assertThat(run.get("correlationId").asText())
                    .isEqualTo(run.get("jobRunId").asText());
            assertThat(fields(run)).as("outside of any task").doesNotContain("traceId", "spanId");
        }
        var tasks = lines.stream().filter(line -> is(line, "task dequeued")).toList();
        for (var task : tasks) {
            var runOfTask = runs.get((int) lines.subList(0, lines.indexOf(task)).stream()
                            .filter(line -> is(line, "job started"))
                            .count()
                    - 1);
            assertThat(task.get("correlationId").asText())
                    .isEqualTo(runOfTask.get("jobRunId").asText());
        }
        assertThat(tasks.stream().map(line -> line.get("traceId").asText()).distinct())
                .hasSize(3);
        assertThat(tasks.stream().map(line -> line.get("thread")).distinct())
                .as("one thread")
                .hasSize(1);
        assertThat(fields(lines, "batch processed")).contains("roleId", "rows", "cursor", "correlationId", "traceId");
        assertThat(fields(lines, "task completed"))
                .contains("roleId", "processedCount", "durationMs", "correlationId", "traceId", "spanId");
        assertThat(first(lines, "task completed").get("processedCount").isNumber())
                .isTrue();
        var failed = first(lines, "task failed");
        assertThat(failed.get("level").asText()).isEqualTo("ERROR");
        assertThat(failed.get("exception").asText()).isEqualTo("PSQLException: ERROR: first line");
        assertThat(failed.get("stackTrace").asText()).contains("first line\nsecond line", "\tat ");
        assertThat(failed.get("traceId").asText())
                .isEqualTo(tasks.get(1).get("traceId").asText());
        assertThat(fields(lines, "lanes held")).contains("lanes").doesNotContain("correlationId", "traceId", "spanId");

        var upserted = first(lines, "upserted");
        assertThat(upserted.get("userId").asText()).isEqualTo(user.toString());
        assertThat(upserted.get("sourceVersion").asLong()).isEqualTo(1);
        assertThat(upserted.get("displayName").asText()).isEqualTo("Q***");
        assertThat(upserted.get("correlationId").asText()).isEqualTo(correlation.toString());
        assertThat(upserted.get("traceId").asText()).isEqualTo(trace);
        assertThat(upserted.get("spanId").asText()).matches("[0-9a-f]{16}");
        assertThat(fields(lines, "consumed"))
                .contains("messageId", "userId", "eventType", "sourceVersion", "correlationId", "traceId", "spanId");
        assertThat(fields(lines, "dead-lettered"))
                .contains("messageId", "code", "reason", "offset", "correlationId", "traceId", "spanId");
        assertThat(output).doesNotContain("marked", "+7999", "example.org");
    }

    /** How many tasks have left the worker's hands, in one way or the other. */
    private static long ends(WorkerProcess process) {
        return process.output()
                .lines()
                .filter(line -> line.contains("task completed") || line.contains("task failed"))
                .count();
    }

    private static String stop(WorkerProcess process) {
        process.terminate();
        process.waitForExit(30);
        return process.output();
    }

    private static JsonNode read(String line) {
        try {
            return JSON.readTree(line);
        } catch (IOException e) {
            throw new UncheckedIOException("not JSON: " + line, e);
        }
    }

    private static boolean is(JsonNode line, String message) {
        return line.get("message").asText().equals(message);
    }

    private static JsonNode first(List<JsonNode> lines, String message) {
        return lines.stream()
                .filter(line -> is(line, message))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no line " + message));
    }

    private static List<String> fields(List<JsonNode> lines, String message) {
        return fields(first(lines, message));
    }

    private static List<String> fields(JsonNode line) {
        var names = new ArrayList<String>();
        line.fieldNames().forEachRemaining(names::add);
        return names;
    }
}
