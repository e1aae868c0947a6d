package tests.security;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static tests.security.SecuredSystem.SECRET;

import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tests.support.Command;
import tests.support.ManagementPort;
import tests.support.WorkerProcess;

@DisplayName("Secrets")
class SecretsTest {

    /** For a process that logs everything, on a machine that may have other things to do. */
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private static final String EVERYTHING = """
            <configuration>
              <appender name="console" class="ch.qos.logback.core.ConsoleAppender">
                <encoder><pattern>%d %-5level [%thread] %logger - %msg%n%ex</pattern></encoder>
              </appender>
              <root level="DEBUG"><appender-ref ref="console"/></root>
            </configuration>
            """;

    @RegisterExtension
    static final SecuredSystem SYSTEM = new SecuredSystem();

    @TempDir
    private Path folder;

    @Test
    @DisplayName(
            "OPS-05 no secret from a mounted directory is in start-up output, DEBUG logs, metrics, health and errors, whether it is right or wrong")
    void nowhere() throws Exception {
        var overlay = Files.createDirectory(folder.resolve("overlay"));
        Files.writeString(overlay.resolve("logback.xml"), EVERYTHING);
        var right = settings();
        var wrong = settings();
        for (var name : List.of("identity.db.password", "news.db.password", "access-cache.db.password")) {
            wrong.setProperty(name, SECRET + "-wrong");
        }
        wrong.setProperty("kafka.sasl-jaas-config", SecuredSystem.login("secrets", SECRET + "-wrong"));
        SYSTEM.grant(
                "secrets",
                Manifests.users().values().stream()
                        .flatMap(List::stream)
                        .distinct()
                        .toArray(Manifests.Right[]::new));
        SYSTEM.setPassword("secrets", SECRET + "-secrets");
        var goes = start("secrets-right", right, overlay);
        look(
                right,
                goes,
                answer -> assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200));
        var fails = start("secrets-wrong", wrong, overlay);
        look(wrong, fails, answer -> {
            assertThat(answer.statusCode()).isEqualTo(503);
            assertThat(fails.output()).contains("password authentication failed", "SaslAuthenticationException");
        });
    }

    /** @param expected of readiness, sooner or later */
    private static void look(Properties settings, WorkerProcess process, Consumer<HttpResponse<String>> expected) {
        try {
            await().atMost(PATIENCE)
                    .untilAsserted(
                            () -> expected.accept(ManagementPort.of(settings).readiness()));
            for (var path : List.of("/observe/health", "/observe/health/ready", "/observe/metrics")) {
                assertThat(ManagementPort.of(settings).get(path).body())
                        .as(path)
                        .doesNotContain(SECRET);
            }
            assertThat(process.output()).contains(" DEBUG ").contains("sasl.jaas.config = [hidden]");
            assertThat(process.output().lines().filter(line -> line.contains(SECRET)))
                    .isEmpty();
        } finally {
            process.kill();
        }
    }

    /** Every secret in the directory, and none on the command line. */
    private WorkerProcess start(String name, Properties settings, Path overlay) throws IOException {
        var directory = Files.createDirectory(folder.resolve(name));
        var open = new Properties();
        for (var setting : settings.stringPropertyNames()) {
            if (settings.getProperty(setting).contains(SECRET)) {
                Files.writeString(directory.resolve(setting), settings.getProperty(setting) + "\n");
            } else {
                open.setProperty(setting, settings.getProperty(setting));
            }
        }
        open.setProperty("secrets.directory", directory.toString());
        return WorkerProcess.start(name, open, List.of("-Xmx256m", "-XX:TieredStopAtLevel=1"), List.of("run"), overlay);
    }

    private static Properties settings() throws Exception {
        var settings = SYSTEM.properties("identity,news,access-cache");
        settings.putAll(SYSTEM.kafka("SASL_SSL", "secrets"));
        return settings;
    }

    @ParameterizedTest(name = "OPS-05 {0} is said without its value: {2}")
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "kafka.sasl-jaas-config | swordfish | kafka.sasl-jaas-config: '***' is not allowed",
                "kafka.sasl-jaas-config | org.apache.kafka.common.security.scram.ScramLoginModule required username=a password=b swordfish; | kafka.sasl-jaas-config: '***' is not allowed",
                "kafka.sasl-jaas-config | swordfish.Module required username=a password=b; | kafka.sasl-jaas-config: '***' is not allowed",
                "kafka.ssl-truststore-password | swordfish-wrong | kafka.*: no client can be made of these settings: ",
                "identity.db.password | swordfish-wrong | password authentication failed for user",
                "identity.db.url | jdbc:postgresql://localhost/identity?password=swordfish | identity.db.url: a URL is no place for a password",
                "identity.db.url | jdbc:postgresql://localhost/identity?sslPassword=swordfish | identity.db.url: a URL is no place for a password",
                "identity.db.url | postgresql://me:swordfish@localhost/identity | identity.db.url: a URL is no place for a password",
                "identity.db.listen-url | jdbc:postgresql://me:swordfish@localhost/identity | identity.db.listen-url: a URL is no place for a password",
            })
    void errors(String name, String value, String message) throws Exception {
        var settings = settings();
        settings.setProperty(name, value);

        var refused = Command.run(settings, "tasks", "list");

        assertThat(refused.exitCode()).isEqualTo(1);
        assertThat(refused.err().lines()).singleElement().asString().contains(message);
        assertThat(refused.out() + refused.err()).doesNotContain(SECRET);
    }
}
