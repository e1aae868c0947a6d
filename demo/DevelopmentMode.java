package demo;

import app.AccessApplication;
import app.Settings;
import app.db.Migrations;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;

/**
 * {@code mvn -q -Pdev}: all contexts on embedded servers, until Ctrl-C. A route that is edited under {@code routes/} is compiled
 * and takes the place of the running one; one that does not compile leaves it alone (docs/editing-routes.md).
 */
public final class DevelopmentMode {

    private static final String DATABASE = "postgres";
    private static final int USERS = 2_000;

    private DevelopmentMode() {}

    public static void main(String[] arguments) throws Exception {
        var stack = EmbeddedStack.start();
        var settings = reloading(allContexts(stack), Path.of("routes"));
        stack.kafka().createTopic(EmbeddedStack.TOPIC, 6);
        stack.kafka().createTopic(settings.getProperty("news.replica.topic"), 6);
        stack.kafka().createTopic(settings.getProperty("news.replica.dlq-topic"), 6);
        stack.kafka().createTopic(EmbeddedStack.TOPIC + ".gateway.dlq", 6);
        stack.kafka().createTopic(settings.getProperty("identity.watermark-topic"), 1);
        new Migrations(Settings.load(null, Map.of(), settings)).run();
        stack.createRunUser(DATABASE);
        stack.createNewsUser(DATABASE);
        stack.createAccessCacheUser(DATABASE);
        DemoData.seed(stack, DATABASE, USERS);

        var application = start(settings);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> close(application, stack)));
        System.out.printf(
                """

                Everything runs, and role 'agent' has %,d users. Edit a file under routes/ and save it.

                  psql -h localhost -p %d -U postgres %s
                    select identity.enqueue_access_fanout(id) from identity.role_definitions where code = 'agent';
                  Kafka     %s
                  metrics   http://localhost:%s/observe/metrics
                  health    http://localhost:%5$s/observe/health/ready

                Ctrl-C ends it.
                """,
                USERS,
                stack.postgres().getPort(),
                DATABASE,
                stack.kafka().brokers(),
                settings.getProperty("management.port"));
        new CountDownLatch(1).await();
    }

    /** An instance whose routes are reloaded when they are edited. */
    public static AccessApplication start(Properties settings) {
        var application = new AccessApplication(Settings.load(null, Map.of(), settings)).start();
        application.camel().getRegistry().bind("routes-builder-loader-java", new EditedRoutes());
        return application;
    }

    /** @param routes the folder that is watched */
    public static Properties reloading(Properties settings, Path routes) {
        settings.putAll(Map.of(
                "camel.main.routes-reload-enabled", "true",
                "camel.main.routes-reload-directory", routes.toString(),
                "camel.main.routes-reload-directory-recursive", "true",
                "camel.main.routes-reload-pattern", "*.java",
                "camel.main.routes-reload-remove-all-routes", "false",
                // Our meters are made once.
                "camel.metrics.clear-on-reload", "false"));
        return settings;
    }

    private static Properties allContexts(EmbeddedStack stack) throws IOException {
        var settings = stack.newsSettings(DATABASE);
        settings.putAll(stack.settings(DATABASE));
        settings.putAll(Map.of(
                "identity.enabled", "true",
                "news.replica.topic", "pin.identity.users.v1",
                "news.replica.dlq-topic", "pin.identity.users.v1.news-identity-users.dlq",
                "identity.watermark-topic", "pin.identity.access.watermarks",
                "access-cache.watermark-topic", "pin.identity.access.watermarks",
                "management.port", Integer.toString(managementPort())));
        return stack.withAccessCache(settings, DATABASE);
    }

    /** The usual one, or another if something has it. */
    private static int managementPort() throws IOException {
        try (var usual = new ServerSocket(9876)) {
            return usual.getLocalPort();
        } catch (IOException e) {
            try (var free = new ServerSocket(0)) {
                return free.getLocalPort();
            }
        }
    }

    private static void close(AccessApplication application, EmbeddedStack stack) {
        application.close();
        try {
            stack.close();
        } catch (IOException e) {
            System.err.println("embedded servers: " + e.getMessage());
        }
    }
}
