package tests;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import app.SettingException;
import app.Settings;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Settings")
class SettingsTest {

    @Test
    @DisplayName("FAN-03 have the documented defaults")
    void defaults() {
        assertThat(Settings.load(null, Map.of(), new Properties()).forCamel())
                .containsEntry("identity.fanout.polling-interval", "5000")
                .containsEntry("identity.fanout.batch-size", "500")
                .containsEntry("identity.fanout.max-lease-duration", "300000")
                .containsEntry("identity.fanout.max-attempts", "5")
                .containsEntry("identity.fanout.inline-threshold", "500")
                .containsEntry("identity.topic", "pin.identity.access.v1")
                .containsEntry("management.operator-page", "false")
                .containsEntry("management.port", "9876");
    }

    @ParameterizedTest(name = "FAN-03 {0}={1} stops the start")
    @CsvSource(
            delimiter = '|',
            value = {
                "identity.fanout.batch-size | 0 | a whole number from 1 to 5000 is",
                "identity.fanout.batch-size | 500.5 | a whole number from 1 to 5000 is",
                "identity.fanout.batch-size | 5001 | a whole number from 1 to 5000 is",
                "identity.fanout.polling-interval | 5 | a duration such as 500ms, 5s or 5m, from 10ms to 1h is",
                "identity.fanout.polling-interval | soon | a duration such as 500ms, 5s or 5m, from 10ms to 1h is",
                "identity.fanout.max-lease-duration | 0s | a duration such as 500ms, 5s or 5m, from 1s to 24h is",
                "identity.fanout.max-attempts | -1 | a whole number from 1 to 1000 is",
                "identity.fanout.inline-threshold | many | a whole number from 0 to 5000 is",
                "identity.enabled | yes | one of true, false is",
                "identity.db.url | localhost | a URL that begins with jdbc:postgresql: is",
                "identity.topic | a topic | letters, digits, '.', '_' and '-', at most 200 is",
                "identity.db.url | mysql://h/d | a URL that begins with jdbc:postgresql: is",
                "kafka.security-protocol | plain | one of PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL is",
                "news.enabled | maybe | one of true, false is",
                "news.db.url | mysql: | a URL that begins with jdbc:postgresql: is",
                "news.replica.dlq-topic | pin.identity.users.v1 | any topic but news.replica.topic is",
                "news.db.pool-size | 2 | a whole number from 3 to 200 is",
                "identity.db.pool-size | 8 | a whole number from 9 to 200 is",
                "news.replica.dlq-topic | a topic | letters, digits, '.', '_' and '-', at most 200 is",
                "news.replica.batch-size | 0 | a whole number from 1 to 5000 is",
                "news.replica.consumers | 0 | a whole number from 1 to 64 is",
                "news.replica.max-poll-interval | 10ms | a duration such as 500ms, 5s or 5m, from 1s to 1h is",
                "news.replica.marks-retention | 1m | a duration such as 500ms, 5s or 5m, from 1h to 87600h is",
                "management.operator-page | on | one of true, false is",
                "tracing.sample-ratio | 1.5 | a number from 0 to 1 is",
                "tracing.sample-ratio | NaN | a number from 0 to 1 is",
                "log.format | xml | one of text, json is",
                "management.port | 70000 | a whole number from 0 to 65535 is"
            })
    void badValues(String name, String value, String allowed) {
        assertThatThrownBy(() -> load(name, value))
                .isInstanceOf(SettingException.class)
                .hasMessage(name + ": '" + value + "' is not allowed; " + allowed);
    }

    @ParameterizedTest(name = "FAN-03 the unknown name {0} stops the start")
    @CsvSource({"identity.fanout.batchsize", "kafka.broker", "management.prot", "news.replica.topics", "db.migrate"})
    void unknownNames(String name) {
        assertThatThrownBy(() -> load(name, "1"))
                .isInstanceOf(SettingException.class)
                .hasMessage(name + ": there is no such setting (given with -D)");
    }

    @Test
    @DisplayName(
            "FAN-03 -D wins over the environment, that over the directory of secrets, that over the file, that over the default")
    void precedence(@TempDir Path folder) throws Exception {
        var secrets = Files.createDirectory(folder.resolve("secrets"));
        var file = Files.writeString(
                folder.resolve("my.properties"),
                "identity.fanout.batch-size=100\nidentity.fanout.max-attempts=7\nidentity.topic=from-file\n"
                        + "kafka.brokers=from-file:1\nsecrets.directory=" + secrets + "\n");
        for (var name : new String[] {"identity.fanout.batch-size", "identity.fanout.max-attempts", "kafka.brokers"}) {
            Files.writeString(secrets.resolve(name), name.equals("kafka.brokers") ? "from-secrets:1\n" : "150");
        }
        var system = new Properties();
        system.setProperty("identity.fanout.batch-size", "300");
        var environment = Map.of("IDENTITY_FANOUT_BATCH_SIZE", "200", "IDENTITY_FANOUT_MAX_ATTEMPTS", "8");

        assertThat(Settings.load(file, environment, system).forCamel())
                .containsEntry("identity.fanout.batch-size", "300")
                .containsEntry("identity.fanout.max-attempts", "8")
                .containsEntry("kafka.brokers", "from-secrets:1")
                .containsEntry("identity.topic", "from-file")
                .containsEntry("identity.fanout.inline-threshold", "500");
    }

    @Test
    @DisplayName("FAN-03 a file that is not there, or that has an unknown name, is said with its name")
    void file(@TempDir Path folder) throws Exception {
        var missing = folder.resolve("missing.properties");
        assertThatThrownBy(() -> Settings.load(missing, Map.of(), new Properties()))
                .isInstanceOf(SettingException.class)
                .hasMessageContaining(missing.toString());
        var wrong = Files.writeString(folder.resolve("wrong.properties"), "identity.fan-out.batch-size=1");
        assertThatThrownBy(() -> Settings.load(wrong, Map.of(), new Properties()))
                .hasMessage("identity.fan-out.batch-size: there is no such setting (in " + wrong + ")");
    }

    @ParameterizedTest(
            name = "FAN-18 tracing.otlp-endpoint={0} stops the start, and is not repeated: it may hold a password")
    @ValueSource(
            strings = {"collector.example", "http://me:swordfish@collector:4318", "http:// x", "grpc://collector:4317"})
    void badEndpoints(String value) {
        assertThatThrownBy(() -> load("tracing.otlp-endpoint", value))
                .isInstanceOf(SettingException.class)
                .hasMessageStartingWith("tracing.otlp-endpoint: the value is not allowed; a URL such as ")
                .hasMessageNotContaining(value);
    }

    @Test
    @DisplayName("FAN-18 nothing is traced, and logs are text, unless the settings say so; the environment may")
    void tracingAndLogs() {
        var plain = Settings.load(null, Map.of(), new Properties());
        assertThat(plain.tracingEndpoint()).isEmpty();
        assertThat(plain.logsJson()).isFalse();

        var environment = Map.of("TRACING_OTLP_ENDPOINT", "http://collector:4318", "LOG_FORMAT", "json");
        var set = Settings.load(null, environment, new Properties());
        assertThat(set.tracingEndpoint()).hasToString("Optional[http://collector:4318]");
        assertThat(set.logsJson()).isTrue();
    }

    @Test
    @DisplayName(
            "OPS-05 a secret is a file of its name, without the end of its last line; what else lies there is not ours")
    void secretsDirectory(@TempDir Path folder) throws Exception {
        Files.writeString(folder.resolve("identity.db.password"), "sword fish #1 \\ =\r\n");
        Files.writeString(folder.resolve("kafka.ssl-key-password"), "two\nlines\n\n");
        Files.writeString(folder.resolve("news.db.password"), "");
        Files.write(folder.resolve("user.p12"), new byte[] {(byte) 0xff});
        // As Kubernetes does it: what is mounted are links into a directory that is exchanged as a whole.
        Files.createDirectory(folder.resolve("..2026_11_30"));
        Files.createSymbolicLink(folder.resolve("..data"), Path.of("..2026_11_30"));
        Files.writeString(folder.resolve("..2026_11_30/access-cache.db.password"), "linked");
        Files.createSymbolicLink(
                folder.resolve("access-cache.db.password"), Path.of("..data/access-cache.db.password"));

        var settings = Settings.load(null, Map.of("SECRETS_DIRECTORY", folder.toString()), new Properties());

        assertThat(settings.identityDatabase().password()).isEqualTo("sword fish #1 \\ =");
        assertThat(settings.kafkaClient()).containsEntry("ssl.key.password", "two\nlines\n");
        assertThat(settings.newsDatabase().password()).isEmpty();
        assertThat(settings.accessCacheDatabase().password()).isEqualTo("linked");
    }

    @Test
    @DisplayName(
            "OPS-05 a secret, or their directory, that cannot be read, and a name that is no setting's, stop the start")
    void unreadableSecrets(@TempDir Path folder) throws Exception {
        assertThatThrownBy(() -> secretsIn(folder.resolve("missing")))
                .isInstanceOf(SettingException.class)
                .hasMessageStartingWith("secrets.directory: '" + folder.resolve("missing") + "' cannot be read (");
        var secret = Files.createDirectory(folder.resolve("identity.db.password"));
        assertThatThrownBy(() -> secretsIn(folder))
                .isInstanceOf(SettingException.class)
                .hasMessageStartingWith("secrets.directory: '" + secret + "' cannot be read (");
        Files.delete(secret);
        Files.writeString(folder.resolve("identity.db.pasword"), "swordfish");
        assertThatThrownBy(() -> secretsIn(folder))
                .isInstanceOf(SettingException.class)
                .hasMessage("identity.db.pasword: there is no such setting (in " + folder + ")");
    }

    private static void secretsIn(Path directory) {
        Settings.load(null, Map.of("SECRETS_DIRECTORY", directory.toString()), new Properties());
    }

    @Test
    @DisplayName("OPS-05 no secret reaches Camel's properties or a database's description")
    void secrets() {
        var system = new Properties();
        system.setProperty("identity.db.password", "swordfish");
        system.setProperty("kafka.sasl-jaas-config", "swordfish");

        var settings = Settings.load(null, Map.of(), system);

        assertThat(settings.forCamel().toString()).doesNotContain("swordfish");
        assertThat(settings.identityDatabase().toString()).doesNotContain("swordfish");
        assertThat(settings.kafkaClient()).containsEntry("sasl.jaas.config", "swordfish");
    }

    private static Settings load(String name, String value) {
        var system = new Properties();
        system.setProperty(name, value);
        return Settings.load(null, Map.of(), system);
    }
}
