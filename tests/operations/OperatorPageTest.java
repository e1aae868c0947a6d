package tests.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import app.AccessApplication;
import app.Settings;
import app.db.Databases;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.jdbc.core.JdbcTemplate;
import tests.support.Metrics;
import tests.support.PostgresProxy;
import tests.support.TestSystem;

/**
 * A system in which a task stands still in its third page, another waits for the worker, one has failed, one is completed, and
 * an event is parked. No test changes any of it for good.
 */
@DisplayName("The operator's page")
class OperatorPageTest {

    private static final String NAME = "agents <b>& brokers</b> ".repeat(20).strip();
    private static final TestSystem SYSTEM = new TestSystem();

    private static PostgresProxy wire;
    private static AccessApplication application;
    private static OperatorPage operatorPage;
    /** Holds the lock of a user in the third page. */
    private static Connection writer;

    private static UUID running;
    private static UUID failed;

    @BeforeAll
    static void start() throws Exception {
        SYSTEM.open();
        var identity = SYSTEM.identity();
        var role = identity.role(NAME, "deals.approve.secretly");
        var users = identity.usersOf(role, 120);
        running = identity.enqueue(role);
        var later = identity.role("later");
        identity.usersOf(later, 3);
        identity.enqueue(later);
        failed = identity.sql().queryForObject("""
                insert into identity.access_fanout_tasks
                    (role_id, role_version, status, attempt_count, processed_count, created_at, updated_at)
                values (?, 1, 'Failed', 5, 1234, now() - interval '3 hours', now() - interval '130 minutes')
                returning id""", UUID.class, later);
        identity.sql().update("""
                insert into identity.access_fanout_tasks (role_id, role_version, status, attempt_count, processed_count,
                                                          created_at, started_at, completed_at, updated_at)
                values (?, 1, 'Completed', 1, 777, now() - interval '60 minutes', now() - interval '59 minutes',
                        now() - interval '50 minutes', now() - interval '50 minutes')""", later);
        identity.sql().update("""
                insert into identity.outbox (user_id, correlation_id, version_source, payload, parked_at, parked_reason)
                values (?, gen_random_uuid(), 'assignment', 'what it says', now() - interval '3 days',
                        'too large: <script>alert(1)</script>')""", users.get(0));
        writer = TestSystem.stack().superuser(SYSTEM.database());
        writer.setAutoCommit(false);
        try (var lock = writer.prepareStatement(
                "select identity.lock_access(array[max(user_id::text)::uuid]) from identity.role_assignments"
                        + " where role_id = ?")) {
            lock.setObject(1, role);
            lock.execute();
        }
        wire = new PostgresProxy(TestSystem.stack().postgres().getPort());
        application = SYSTEM.start(
                "management.operator-page",
                "true",
                "identity.db.url",
                wire.url(SYSTEM.database()),
                "identity.fanout.batch-size",
                "50");
        operatorPage = OperatorPage.of(application);
        await().until(() -> (int) identity.task(running).get("processed_count") == 100);
    }

    @AfterAll
    static void stop() throws Exception {
        writer.close();
        SYSTEM.close();
        wire.close();
    }

    @Test
    @DisplayName("EVT-11 shows tasks with their progress, lanes and parked events, and how to replay what has failed")
    void shows() {
        var page = await().until(
                        operatorPage::html,
                        shown -> shown.contains("100 of 120 users")
                                && shown.contains("identity-database: ")
                                // All four lanes.
                                && shown.split("this instance", -1).length == 5);

        assertThat(page)
                .contains("max=\"120\" value=\"100\"")
                .contains("task " + running)
                .contains("tasks replay " + failed)
                .containsPattern("2 h 1\\d min ago")
                .contains("1,234")
                .as("completed, ten minutes after it was queued: later than promised")
                .contains("777")
                .contains("<span class=\"wrong\">10 min</span>")
                .contains("Waiting for a worker")
                .contains("3 days ago")
                .contains("Needs somebody")
                .contains("Failed tasks: 1")
                .contains("Parked events, which Kafka can never take: 1");
    }

    @Test
    @DisplayName("EVT-11 shows nobody's data: no user, no assignment, no permission, no payload")
    void nobodysData() {
        var page = await().until(operatorPage::html, shown -> shown.contains("Parked events</caption>"));

        var nobodys = SYSTEM.identity()
                .sql()
                .queryForList(
                        "select id::text from identity.users union all select id::text from identity.role_assignments"
                                + " union all select cursor::text from identity.access_fanout_tasks where cursor is not null"
                                + " union all select message_id::text from identity.outbox",
                        String.class);
        assertThat(nobodys).hasSizeGreaterThan(240);
        assertThat(nobodys).noneMatch(page::contains);
        assertThat(page).doesNotContain("secretly").doesNotContain("Platform").doesNotContain("what it says");
    }

    @Test
    @DisplayName("EVT-11 whatever it shows is text: a script in a reason, or a role's name, is read and not run")
    void escapes() {
        await().untilAsserted(() -> assertThat(operatorPage.html()).contains("100 of 120 users"));
        var page = operatorPage.ask("GET", "");

        assertThat(page.body())
                .contains("too large: &lt;script&gt;alert(1)&lt;/script&gt;")
                .contains("agents &lt;b&gt;&amp; brokers&lt;/b&gt;")
                .doesNotContain("<script")
                .doesNotContain("<b>")
                .as("names nothing elsewhere")
                .doesNotContain("http://")
                .doesNotContain("https://");
        assertThat(page.headers().firstValue("content-security-policy"))
                .hasValueSatisfying(policy -> assertThat(policy)
                        .contains("default-src 'none'")
                        .contains("style-src 'sha256-")
                        .doesNotContain("unsafe"));
        assertThat(page.headers().firstValue("content-type")).hasValue("text/html; charset=utf-8");
        assertThat(page.headers().firstValue("cache-control")).hasValue("no-store");
        assertThat(page.headers().firstValue("x-content-type-options")).hasValue("nosniff");
    }

    @ParameterizedTest(name = "EVT-11 only reads: {0} is not allowed")
    @ValueSource(strings = {"POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"})
    void onlyReads(String method) {
        assertThat(operatorPage.ask(method, "").statusCode()).isEqualTo(405);
    }

    @Test
    @DisplayName("EVT-11 what a browser sends decides nothing but whether the page stays as it is")
    void ignoresWhatIsSent() {
        assertThat(operatorPage.html()).contains("http-equiv=\"refresh\"");
        var paused = operatorPage.ask("GET", "?pause");
        assertThat(paused.body()).doesNotContain("http-equiv=\"refresh\"").contains("paused");
        // A header of this name would replace a statement.
        var other = operatorPage.ask("GET", "?CamelSqlQuery=select%201&X=%3Cscript%3E");
        assertThat(other.statusCode()).isEqualTo(200);
        assertThat(other.body()).contains("Fan-out tasks").doesNotContain("<script");
        assertThat(other.headers().map()).doesNotContainKeys("X", "CamelSqlQuery");
    }

    @Test
    @DisplayName("OPS-04 ten browsers cost the database as much as one")
    void manyBrowsers() {
        operatorPage.html();
        double before = looks();

        long since = System.nanoTime();
        var pages = Stream.generate(() -> CompletableFuture.supplyAsync(operatorPage::html))
                .limit(10)
                .toList();
        assertThat(pages.stream().map(CompletableFuture::join).toList())
                .allSatisfy(page -> assertThat(page).contains("Fan-out tasks"));
        double seconds = (System.nanoTime() - since) / 1e9;

        assertThat(looks() - before).isLessThanOrEqualTo(1 + seconds / 2);
    }

    private static double looks() {
        return Metrics.of(application)
                .scrape()
                .lines()
                .filter(line ->
                        line.startsWith("camel_exchanges_total{") && line.contains("routeId=\"operator-count\""))
                .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' '))))
                .findFirst()
                .orElse(0);
    }

    @Test
    @DisplayName(
            "OPS-04 PostgreSQL away: the page says so within two seconds, and shows what was seen before; back: it goes on")
    void postgresAway() throws Exception {
        await().until(() -> operatorPage.html().contains("tasks replay " + failed));
        wire.cut();
        try {
            await().until(() -> within(Duration.ofSeconds(2)).contains("PostgreSQL does not answer"));
            assertThat(operatorPage.html())
                    .containsPattern("What stands below was seen \\d+ s ago")
                    .contains("tasks replay " + failed)
                    .as("what nobody sees is not guessed")
                    .doesNotContain("users/s");
        } finally {
            wire.mend();
        }

        await().until(() -> !operatorPage.html().contains("PostgreSQL does not answer"));
    }

    @Test
    @DisplayName("OPS-04 PostgreSQL is slow: the page does not wait for it, and harms nobody who works")
    void postgresSlow() throws Exception {
        try (var owner = TestSystem.stack().superuser(SYSTEM.database());
                var statement = owner.createStatement()) {
            owner.setAutoCommit(false);
            statement.execute("lock table identity.role_archivals in access exclusive mode");

            await().until(() -> within(Duration.ofSeconds(2)).contains("PostgreSQL does not answer"));

            owner.rollback();
        }
        await().until(() -> !operatorPage.html().contains("PostgreSQL does not answer"));
    }

    @Test
    @DisplayName(
            "OPS-04 PostgreSQL hangs in the middle of an answer: the page is not kept waiting until it is given up")
    void postgresHangs() throws Exception {
        await().until(() -> !operatorPage.html().contains("PostgreSQL does not answer"));
        int backend = SYSTEM.identity()
                .sql()
                .queryForObject(
                        "select pid from pg_stat_activity where application_name = 'operator' and datname = ?",
                        Integer.class,
                        SYSTEM.database());
        signal("STOP", backend);
        try {
            await().until(() -> operatorPage.html().contains("PostgreSQL does not answer: it has not answered yet"));
            await().until(() -> !operatorPage.html().contains("PostgreSQL does not answer"));
        } finally {
            signal("CONT", backend);
        }
    }

    private static void signal(String signal, int process) throws Exception {
        assertThat(new ProcessBuilder("kill", "-" + signal, Integer.toString(process))
                        .start()
                        .waitFor())
                .isZero();
    }

    /** The page; empty when it took longer than that. */
    private static String within(Duration most) {
        long since = System.nanoTime();
        var page = operatorPage.html();
        return System.nanoTime() - since <= most.toNanos() ? page : "";
    }

    @Test
    @DisplayName("OPS-06 it looks through a connection that can write nothing, and that gives up after a second")
    void readsOnly() throws Exception {
        var database =
                Settings.load(null, java.util.Map.of(), SYSTEM.settings()).identityDatabase();
        try (var pool = Databases.reader("test", database)) {
            var sql = new JdbcTemplate(pool);
            assertThatThrownBy(() -> sql.update("delete from identity.outbox"))
                    .hasStackTraceContaining("read-only transaction");
            assertThatThrownBy(() -> sql.queryForList("select pg_sleep(20)"))
                    .hasStackTraceContaining("statement timeout");
        }
        try (var mute = new ServerSocket(0);
                var pool = Databases.reader(
                        "test", database.at("jdbc:postgresql://localhost:" + mute.getLocalPort() + "/x"))) {
            long since = System.nanoTime();
            assertThatThrownBy(pool::getConnection).isInstanceOf(java.sql.SQLException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - since)).isLessThan(Duration.ofSeconds(3));
        }
    }

    @Test
    @DisplayName("EVT-11 a browser without internet shows it, light and dark, and its console has nothing to say")
    void chromium(@TempDir Path folder) throws Exception {
        var chromium = Chromium.orSkip(folder);
        var pictures = Files.createDirectories(Path.of("target", "operator-page"));
        await().untilAsserted(() ->
                assertThat(operatorPage.html()).contains("100 of 120 users").contains("identity-database: "));

        for (boolean dark : List.of(false, true)) {
            var visit = chromium.visit(operatorPage.url(), dark, pictures.resolve(dark ? "dark.png" : "light.png"));

            assertThat(visit.complaints()).isEmpty();
            assertThat(visit.document())
                    .contains("<caption>Running</caption>")
                    .contains("<th scope=\"col\">Progress</th>")
                    .contains("<label for=\"progress-" + running + "\">100 of 120 users</label>")
                    .contains("<progress id=\"progress-" + running + "\" max=\"120\" value=\"100\">")
                    .contains("too large: &lt;script&gt;alert(1)&lt;/script&gt;");
            int ground = visit.picture().getRGB(3, 3) & 0xFFFFFF;
            assertThat(ground).as("its own style is in force").isEqualTo(dark ? 0x14181B : 0xF6F6F3);
        }
    }
}
