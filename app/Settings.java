package app;

import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.text.ParseException;
import java.time.Duration;
import java.time.LocalDate;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.Date;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Pattern;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.config.SaslConfigs;
import org.apache.kafka.common.config.types.Password;
import org.apache.kafka.common.security.JaasContext;
import org.jspecify.annotations.Nullable;
import org.quartz.CronExpression;
import processors.failures.Failures;
import processors.identity.AccessContractV2;

/**
 * The settings in force, checked (FAN-03): whoever holds an instance can rely on every value. What each one means stands
 * in application.properties.
 */
public final class Settings {

    private static final Pattern DURATION = Pattern.compile("(\\d{1,9})(ms|s|m|h|d)");
    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,200}");
    private static final Pattern SECRET = Pattern.compile(".*(password|jaas-config)");
    /** A password as a parameter, or somebody's name and password in front of a host. */
    private static final Pattern URL_WITH_SECRET = Pattern.compile("(?i).*(password=|//[^?]*@).*", Pattern.DOTALL);

    private final Map<String, String> values;
    private final Map<String, String> forCamel = new LinkedHashMap<>();

    private Settings(Map<String, String> values) {
        this.values = values;
        check();
    }

    /**
     * Reads and checks the settings of this process.
     *
     * @param file what --config names; null for none
     * @throws SettingException with one line that says what is wrong
     */
    public static Settings load(@Nullable Path file) {
        return load(file, System.getenv(), System.getProperties());
    }

    public static Settings load(@Nullable Path file, Map<String, String> environment, Properties system) {
        return new Settings(SettingSources.read(file, environment, system));
    }

    /** A database by its settings under {@code prefix}. The password may be empty. */
    public record Database(String url, String user, String password, int poolSize) {

        /** The same database by another URL. */
        public Database at(String otherUrl) {
            return new Database(otherUrl, user, password, poolSize);
        }

        @Override
        public String toString() {
            return user + "@" + url;
        }
    }

    public boolean identityEnabled() {
        return bool("identity.enabled");
    }

    public Database identityDatabase() {
        return new Database(
                text("identity.db.url"),
                text("identity.db.user"),
                text("identity.db.password"),
                number("identity.db.pool-size", 9, 200));
    }

    /** The URL of the session that listens for notifications. */
    public String listenUrl() {
        return text("identity.db.listen-url").isEmpty() ? text("identity.db.url") : text("identity.db.listen-url");
    }

    /** Who migrates the identity database. */
    public Database migrationDatabase() {
        return migrating(identityDatabase());
    }

    public boolean newsEnabled() {
        return bool("news.enabled");
    }

    public Database newsDatabase() {
        return new Database(
                text("news.db.url"),
                text("news.db.user"),
                text("news.db.password"),
                number("news.db.pool-size", 3, 200));
    }

    /** Who migrates the news database. */
    public Database newsMigrationDatabase() {
        return migrating(newsDatabase());
    }

    public boolean accessCacheEnabled() {
        return bool("access-cache.enabled");
    }

    public Database accessCacheDatabase() {
        return new Database(
                text("access-cache.db.url"),
                text("access-cache.db.user"),
                text("access-cache.db.password"),
                number("access-cache.db.pool-size", 3, 200));
    }

    /** Who migrates the access cache's database. */
    public Database accessCacheMigrationDatabase() {
        return migrating(accessCacheDatabase());
    }

    private Database migrating(Database database) {
        var user = text("db.migration.user");
        return user.isEmpty() ? database : new Database(database.url(), user, text("db.migration.password"), 1);
    }

    /** A consumer of a topic by its settings under {@code prefix}. */
    public record Consumer(String topic, String group, String deadLetterTopic) {}

    public Consumer authorReplica() {
        return consumer("news.replica");
    }

    /**
     * The consumer of access events. Two services of one group would each see half of the events, so that there is no
     * default.
     *
     * @throws SettingException if access-cache.group is empty
     */
    public Consumer accessCache() {
        requireName("access-cache.group");
        return consumer("access-cache");
    }

    private Consumer consumer(String prefix) {
        return new Consumer(
                forCamel.get(prefix + ".topic"), text(prefix + ".group"), forCamel.get(prefix + ".dlq-topic"));
    }

    public boolean migrateOnStart() {
        return bool("db.migrate-on-start");
    }

    /** Whether a stand-in for identity's own tables is created where there are none. */
    public boolean standInTables() {
        return choice("db.migration.stand-in-tables", "auto", "never").equals("auto");
    }

    public String accessTopic() {
        return text("identity.topic");
    }

    /** The topics that access events go to: one, or two while two contracts are published (EVT-13). */
    public List<String> accessTopics() {
        return bool("identity.topic-v2.enabled")
                ? List.of(accessTopic(), text("identity.topic-v2.name"))
                : List.of(accessTopic());
    }

    /** The groups that read the access events: their lag is measured, and fan-outs keep their pace. */
    public List<String> accessGroups() {
        return Arrays.stream(text("identity.access-groups").split(","))
                .map(String::strip)
                .filter(group -> !group.isEmpty())
                .distinct()
                .toList();
    }

    /** How many records those may be behind before a fan-out waits for them; 0: it does not wait. */
    public int mostGroupLag() {
        return number("identity.fanout.max-group-lag", 0, 10_000_000);
    }

    /** Where the relay says until when everything is out; empty: it does not. */
    public Optional<String> watermarkTopic() {
        return Optional.of(text("identity.watermark-topic")).filter(topic -> !topic.isEmpty());
    }

    /** Where the access cache hears until when everything is out; empty: it does not. */
    public Optional<String> heardWatermarkTopic() {
        return Optional.of(text("access-cache.watermark-topic")).filter(topic -> !topic.isEmpty());
    }

    public String transactionalIdPrefix() {
        return text("identity.relay.transactional-id-prefix");
    }

    public int relayBatchSize() {
        return number("identity.relay.batch-size", 1, 100_000);
    }

    /** After how long without a heartbeat a publisher loses its lanes. */
    public Duration laneLease() {
        var heartbeat = duration("identity.relay.heartbeat-interval", Duration.ofMillis(10), Duration.ofMinutes(1));
        // Three heartbeats may be late before a publisher that lives loses its lanes.
        return duration("identity.relay.lane-lease", heartbeat.multipliedBy(3), Duration.ofMinutes(10));
    }

    public String brokers() {
        return text("kafka.brokers");
    }

    public int managementPort() {
        return number("management.port", 0, 65_535);
    }

    /** How often each check of readiness asks its server. */
    public Duration readinessInterval() {
        return duration("management.readiness-interval", Duration.ofMillis(10), Duration.ofSeconds(30));
    }

    /** Whether the management port shows the operator's page. */
    public boolean operatorPage() {
        return bool("management.operator-page");
    }

    /** Where spans go (FAN-18); empty: nothing is traced. */
    public Optional<URI> tracingEndpoint() {
        var name = "tracing.otlp-endpoint";
        if (text(name).isEmpty()) {
            return Optional.empty();
        }
        try {
            var endpoint = new URI(text(name));
            if (("http".equals(endpoint.getScheme()) || "https".equals(endpoint.getScheme()))
                    && endpoint.getHost() != null
                    && endpoint.getUserInfo() == null) {
                return Optional.of(endpoint);
            }
        } catch (URISyntaxException e) {
            // said below, with what is allowed
        }
        throw new SettingException(name + ": the value is not allowed; a URL such as http://collector:4318, without a"
                + " user or a password, or nothing, is");
    }

    /** The share of traces that are recorded, where nobody has decided before. */
    public double tracingSampleRatio() {
        var name = "tracing.sample-ratio";
        try {
            double ratio = Double.parseDouble(text(name));
            if (ratio >= 0 && ratio <= 1) {
                return ratio;
            }
        } catch (NumberFormatException e) {
            // said below, with what is allowed
        }
        throw bad(name, "a number from 0 to 1");
    }

    /** Whether a log line is a JSON object. */
    public boolean logsJson() {
        return choice("log.format", "text", "json").equals("json");
    }

    /** Security settings by the names that Kafka's clients know; those left empty are left out. */
    public Map<String, String> kafkaClient() {
        var client = new HashMap<String, String>();
        values.forEach((name, value) -> {
            if (name.startsWith("kafka.") && !name.equals("kafka.brokers") && !value.isEmpty()) {
                client.put(name.substring("kafka.".length()).replace('-', '.'), value);
            }
        });
        return client;
    }

    /**
     * What the routes' placeholders and Camel's own options resolve to: durations in milliseconds. Passwords are left
     * out; no route needs one.
     */
    public Map<String, String> forCamel() {
        return Map.copyOf(forCamel);
    }

    private void check() {
        values.forEach((name, value) -> {
            if (!SECRET.matcher(name).matches()) {
                forCamel.put(name, value);
            }
        });
        identityEnabled();
        newsEnabled();
        accessCacheEnabled();
        migrateOnStart();
        standInTables();
        managementPort();
        readinessInterval();
        operatorPage();
        tracingEndpoint();
        tracingSampleRatio();
        logsJson();
        identityDatabase();
        requireUrl("identity.db.url");
        if (!text("identity.db.listen-url").isEmpty()) {
            requireUrl("identity.db.listen-url");
        }
        requireText("identity.db.user");
        requireText("kafka.brokers");
        checkKafkaClient();
        requireName("identity.topic");
        requireName("identity.topic-v2.name");
        bool("identity.topic-v2.enabled");
        if (accessTopics().size() > accessTopics().stream().distinct().count()) {
            throw bad("identity.topic-v2.name", "any topic but identity.topic");
        }
        requireMapping("identity.topic-v2.mapping");
        lastDay("identity.topic-v2.v1-until");
        requireName("identity.relay.transactional-id-prefix");
        duration("identity.jobs.polling-interval", Duration.ofMillis(10), Duration.ofHours(1));
        requireCron("identity.expiry.schedule");
        requireCron("identity.retention.schedule");
        duration("identity.retention.completed-tasks", Duration.ZERO, Duration.ofDays(3_650));
        duration("identity.fanout.polling-interval", Duration.ofMillis(10), Duration.ofHours(1));
        // A batch locks as many users at once; PostgreSQL's lock table holds 6,400 locks by default.
        number("identity.fanout.batch-size", 1, 5_000);
        duration("identity.fanout.max-lease-duration", Duration.ofSeconds(1), Duration.ofHours(24));
        number("identity.fanout.max-attempts", 1, 1_000);
        number("identity.fanout.inline-threshold", 0, 5_000);
        number("identity.fanout.max-outbox-rows", 1, 10_000_000);
        accessGroups().forEach(group -> requireName("identity.access-groups", group));
        mostGroupLag();
        laneLease();
        relayBatchSize();
        duration("identity.relay.pause", Duration.ZERO, Duration.ofSeconds(5));
        duration("identity.measure-interval", Duration.ofMillis(10), Duration.ofMinutes(10));
        requireOptionalName("identity.watermark-topic");
        if (accessTopics().contains(text("identity.watermark-topic"))) {
            throw bad("identity.watermark-topic", "any topic but those of events");
        }
        duration("identity.watermark-interval", Duration.ofMillis(100), Duration.ofMinutes(1));
        checkNews();
        checkAccessCache();
    }

    /** What only a client of Kafka can tell, by being made; it need not reach anybody for that. */
    private void checkKafkaClient() {
        if (choice("kafka.security-protocol", "PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL")
                .equals("PLAINTEXT")) {
            return;
        }
        requireFile("kafka.ssl-truststore-location");
        requireFile("kafka.ssl-keystore-location");
        if (!text("kafka.sasl-jaas-config").isEmpty()) {
            requireLogin("kafka.sasl-jaas-config");
        }
        var client = new HashMap<String, Object>(kafkaClient());
        client.put(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, "localhost:1");
        try {
            Admin.create(client).close(Duration.ZERO);
        } catch (KafkaException e) {
            throw new SettingException("kafka.*: no client can be made of these settings: " + Failures.describe(e));
        }
    }

    private void checkNews() {
        newsDatabase();
        requireUrl("news.db.url");
        requireText("news.db.user");
        checkConsumer("news.replica");
        requireName("news.replica.group");
        number("news.db.pool-size", number("news.replica.consumers", 1, 64) + 2, 200);
        duration("news.replica.marks-retention", Duration.ofHours(1), Duration.ofDays(3_650));
        duration("news.replica.purge-interval", Duration.ofMillis(100), Duration.ofDays(1));
    }

    private void checkAccessCache() {
        accessCacheDatabase();
        requireUrl("access-cache.db.url");
        requireText("access-cache.db.user");
        // What the relay publishes is what is read, unless somebody says otherwise.
        or("access-cache.topic", accessTopic());
        or("access-cache.dlq-topic", forCamel.get("access-cache.topic") + "." + text("access-cache.group") + ".dlq");
        checkConsumer("access-cache");
        requireOptionalName("access-cache.watermark-topic");
        duration("access-cache.freshness-interval", Duration.ofMillis(100), Duration.ofMinutes(1));
        number("access-cache.db.pool-size", number("access-cache.consumers", 1, 64) + 2, 200);
        if (accessCacheEnabled()) {
            accessCache();
        }
    }

    private void or(String name, String otherwise) {
        if (text(name).isEmpty()) {
            forCamel.put(name, otherwise);
        }
    }

    private void checkConsumer(String prefix) {
        requireName(prefix + ".topic", forCamel.get(prefix + ".topic"));
        requireName(prefix + ".dlq-topic", forCamel.get(prefix + ".dlq-topic"));
        if (forCamel.get(prefix + ".dlq-topic").equals(forCamel.get(prefix + ".topic"))) {
            throw bad(prefix + ".dlq-topic", "any topic but " + prefix + ".topic");
        }
        number(prefix + ".batch-size", 1, 5_000);
        number(prefix + ".consumers", 1, 64);
        duration(prefix + ".max-poll-interval", Duration.ofSeconds(1), Duration.ofHours(1));
        duration(prefix + ".measure-interval", Duration.ofMillis(10), Duration.ofMinutes(10));
    }

    private String text(String name) {
        return values.get(name).strip();
    }

    private boolean bool(String name) {
        return choice(name, "true", "false").equals("true");
    }

    private String choice(String name, String... allowed) {
        var value = text(name);
        if (!List.of(allowed).contains(value)) {
            throw bad(name, "one of " + String.join(", ", Arrays.asList(allowed)));
        }
        return value;
    }

    private int number(String name, int least, int most) {
        try {
            int value = Integer.parseInt(text(name));
            if (value >= least && value <= most) {
                return value;
            }
        } catch (NumberFormatException e) {
            // said below, with what is allowed
        }
        throw bad(name, "a whole number from " + least + " to " + most);
    }

    private Duration duration(String name, Duration least, Duration most) {
        var match = DURATION.matcher(text(name));
        if (match.matches()) {
            long amount = Long.parseLong(match.group(1));
            var value = switch (match.group(2)) {
                case "ms" -> Duration.ofMillis(amount);
                case "s" -> Duration.ofSeconds(amount);
                case "m" -> Duration.ofMinutes(amount);
                case "h" -> Duration.ofHours(amount);
                default -> Duration.ofDays(amount);
            };
            if (value.compareTo(least) >= 0 && value.compareTo(most) <= 0) {
                forCamel.put(name, Long.toString(value.toMillis()));
                return value;
            }
        }
        throw bad(name, "a duration such as 500ms, 5s or 5m, from " + readable(least) + " to " + readable(most));
    }

    /** A day, of which routes get the first instant after it; or nothing. */
    private void lastDay(String name) {
        if (text(name).isEmpty()) {
            return;
        }
        if (!bool("identity.topic-v2.enabled")) {
            throw bad(name, "nothing, while identity.topic-v2.enabled is false and nothing else would be published,");
        }
        try {
            var day = LocalDate.parse(text(name));
            if (day.getYear() >= 2000 && day.getYear() < 9999) {
                forCamel.put(name, day.plusDays(1) + "T00:00:00Z");
                return;
            }
        } catch (DateTimeParseException e) {
            // said below, with what is allowed
        }
        throw bad(name, "a day from 2000-01-01 to 9998-12-31, or nothing,");
    }

    private void requireCron(String name) {
        try {
            if (new CronExpression(text(name)).getNextValidTimeAfter(new Date()) != null) {
                return;
            }
        } catch (ParseException e) {
            // said below, with what is allowed
        }
        throw bad(
                name, "a cron expression of Quartz such as '0/15 * * * * ?', seconds first, that has a time to come,");
    }

    private void requireMapping(String name) {
        try {
            if (Class.forName(text(name)).getConstructor().newInstance() instanceof AccessContractV2) {
                return;
            }
        } catch (ReflectiveOperationException | LinkageError e) {
            // said below, with what is allowed
        }
        throw bad(
                name,
                "the name of a class that implements " + AccessContractV2.class.getName()
                        + " and has a constructor without parameters");
    }

    private void requireText(String name) {
        if (text(name).isEmpty()) {
            throw bad(name, "any text but nothing");
        }
    }

    private void requireFile(String name) {
        try {
            if (text(name).isEmpty() || Files.isReadable(Path.of(text(name)))) {
                return;
            }
        } catch (InvalidPathException e) {
            // said below, with what is allowed
        }
        throw bad(name, "a file that can be read, or nothing,");
    }

    private void requireLogin(String name) {
        try {
            var login = Map.of(SaslConfigs.SASL_JAAS_CONFIG, new Password(text(name)));
            Class.forName(JaasContext.loadClientContext(login)
                    .configurationEntries()
                    .get(0)
                    .getLoginModuleName());
        } catch (RuntimeException | ClassNotFoundException | LinkageError e) {
            // Not a word of it: where the line is broken, what it complains about may be a part of the password.
            throw bad(
                    name,
                    "a line such as 'org.apache.kafka.common.security.scram.ScramLoginModule required"
                            + " username=\"…\" password=\"…\";'");
        }
    }

    private void requireUrl(String name) {
        if (URL_WITH_SECRET.matcher(text(name)).matches()) {
            throw new SettingException(name + ": a URL is no place for a password; "
                    + name.replace("url", "password").replace("listen-", "") + " is");
        }
        if (!text(name).startsWith("jdbc:postgresql:")) {
            throw bad(name, "a URL that begins with jdbc:postgresql:");
        }
    }

    private void requireOptionalName(String name) {
        if (!text(name).isEmpty()) {
            requireName(name);
        }
    }

    private void requireName(String name) {
        requireName(name, text(name));
    }

    private void requireName(String name, String value) {
        if (!NAME.matcher(value).matches()) {
            throw bad(name, "letters, digits, '.', '_' and '-', at most 200");
        }
    }

    private SettingException bad(String name, String allowed) {
        var value = SECRET.matcher(name).matches() ? "***" : values.get(name);
        return new SettingException(name + ": '" + value + "' is not allowed; " + allowed + " is");
    }

    private static String readable(Duration duration) {
        return duration.toMillis() < 1_000
                ? duration.toMillis() + "ms"
                : duration.toSeconds() < 60
                        ? duration.toSeconds() + "s"
                        : duration.toMinutes() < 60 ? duration.toMinutes() + "m" : duration.toHours() + "h";
    }
}
