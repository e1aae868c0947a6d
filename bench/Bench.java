package bench;

import app.AccessApplication;
import app.Settings;
import app.db.Databases;
import app.db.Migrations;
import com.sun.net.httpserver.HttpServer;
import demo.EmbeddedStack;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.apache.camel.ProducerTemplate;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.SingleConnectionDataSource;
import processors.identity.AssignmentRevocation;
import tests.support.PostgresProxy;
import tests.support.WorkerProcess;

/**
 * {@code mvn -q -Pbench}: one line a benchmark, tab-separated: name, our rate, hand-written rate, ratio; medians of
 * interleaved pairs after a warm-up. {@code -Dbench=NAME} runs one; with {@code -Dbench.tracing=true} our side sends traces,
 * and {@code -Dbench.pairs=N} takes more pairs.
 * Progress goes to standard error.
 */
public final class Bench {

    private static final String DATABASE = "postgres";
    private static final int USERS = 200_000;
    private static final int LARGE = 1_000_000;
    /** Of each comparison; more say more. */
    private static final int PAIRS = Integer.getInteger("bench.pairs", 3);

    private static final List<String> ALL = List.of(
            "fan-out",
            "relay",
            "end-to-end",
            "replica",
            "cache",
            "wake-up-ms",
            "revoke-ms-idle",
            "revoke-ms-busy",
            "revoke-kafka-ms-idle",
            "revoke-kafka-ms-busy",
            "idle",
            "page-growth");

    /** Those that need nothing of identity. */
    private static final List<String> CONSUMERS = List.of("replica", "cache");

    private final EmbeddedStack stack;
    private final JdbcTemplate sql;
    private final DataSource pool;
    private final UUID role;

    private Bench(EmbeddedStack stack, UUID role) throws SQLException {
        this.stack = stack;
        this.sql = new JdbcTemplate(new SingleConnectionDataSource(stack.superuser(DATABASE), true));
        this.pool = Databases.pool("identity", settings("hand").identityDatabase());
        this.role = role;
    }

    public static void main(String[] arguments) {
        int exit = 1;
        try {
            var chosen = arguments.length == 0 || arguments[0].equals("all") ? ALL : List.of(arguments[0]);
            if (!ALL.containsAll(chosen)) {
                throw new IllegalArgumentException("there is no benchmark " + chosen + "; there are " + ALL);
            }
            run(chosen);
            exit = 0;
        } catch (Exception e) {
            System.err.println("the benchmark failed: " + e);
            e.printStackTrace();
        }
        System.exit(exit);
    }

    private static void run(List<String> chosen) throws Exception {
        try (var stack = EmbeddedStack.start()) {
            if (CONSUMERS.containsAll(chosen)) {
                for (var name : chosen) {
                    consumer(name, stack);
                }
                return;
            }
            stack.kafka().createTopic(EmbeddedStack.TOPIC, 6);
            new Migrations(Settings.load(null, Map.of(), stack.settings(DATABASE))).run();
            stack.createRunUser(DATABASE);
            var bench = new Bench(stack, seed(stack, USERS));
            for (var name : chosen) {
                switch (name) {
                    case "fan-out" -> bench.fanOut();
                    case "relay" -> bench.relay();
                    case "end-to-end" -> bench.endToEnd();
                    case "wake-up-ms" -> bench.wakeUp();
                    case "revoke-ms-idle" -> bench.revokeToCacheIdle();
                    case "revoke-ms-busy" -> bench.revokeToCacheBusy();
                    case "revoke-kafka-ms-idle" -> bench.revokeIdle();
                    case "revoke-kafka-ms-busy" -> bench.revokeBusy();
                    case "idle" -> bench.idle();
                    case "replica", "cache" -> consumer(name, stack);
                    default -> bench.pageGrowth();
                }
            }
        }
    }

    /** Pages to outbox: one worker, the relay off. */
    private void fanOut() throws Exception {
        try (var application = start("relay-*,fan-out-measure")) {
            pairs("fan-out", this::clear, this::ourTask, this::clear, () -> {
                enqueueUnheard(role);
                HandWrittenFanOut.run(pool);
            });
            application.camel();
        }
    }

    /** Outbox to Kafka: the outbox is full before the clock starts. */
    private void relay() throws Exception {
        clear();
        enqueue(role);
        HandWrittenFanOut.run(pool);
        sql.execute(
                "create table if not exists identity.bench_outbox as select user_id, correlation_id, version_source,"
                        + " payload from identity.outbox order by id");
        Step fill = () -> {
            clear();
            sql.execute("insert into identity.outbox (user_id, correlation_id, version_source, payload) select user_id,"
                    + " correlation_id, version_source, payload from identity.bench_outbox");
            sql.execute("analyze identity.outbox");
            sql.execute("checkpoint");
        };
        try (var application = start("fan-out*,*-measure,relay-heartbeat,relay-wake");
                var hand = new HandWrittenRelay(pool, stack.kafka().brokers(), EmbeddedStack.TOPIC, true);
                var unfenced = new HandWrittenRelay(pool, stack.kafka().brokers(), EmbeddedStack.TOPIC, false)) {
            var template = application.camel().createProducerTemplate();
            application.camel().getRouteController().startRoute("relay-heartbeat");
            awaitLanes();
            Step ours = () -> {
                template.sendBody("seda:relay-wake?size=1&discardWhenFull=true", null);
                awaitOutboxEmpty();
            };
            application.camel().getRouteController().startRoute("relay-wake");
            pairs("relay", fill, ours, fill, () -> hand.run(() -> true));
            pairs("relay-unfenced", fill, ours, fill, () -> unfenced.run(() -> true));
        }
        clear();
    }

    /** Events from Kafka to the table. */
    private static void consumer(String name, EmbeddedStack stack) throws Exception {
        try (var bench = name.equals("cache") ? new CacheBench(stack) : new ReplicaBench(stack)) {
            pairs(name, ConsumerBench.EVENTS, bench::clear, bench::ours, bench::clear, bench::byHand, bench::clear);
        }
    }

    /** From the queued task to the last acknowledged record. */
    private void endToEnd() throws Exception {
        clear();
        var hand = new HandWrittenRelay(pool, stack.kafka().brokers(), EmbeddedStack.TOPIC, true);
        var workers = Executors.newSingleThreadExecutor();
        Step byHand = () -> {
            enqueue(role);
            var done = new AtomicBoolean();
            var worker = workers.submit(() -> {
                HandWrittenFanOut.run(pool);
                done.set(true);
                return null;
            });
            hand.run(done::get);
            worker.get();
        };
        // Routes that run would take the tasks and rows of the hand-written loop: each side runs alone.
        var running = new ArrayList<AccessApplication>();
        Step startOurs = () -> {
            running.add(start(""));
            awaitLanes();
        };
        Step stopOurs = () -> running.remove(0).close();
        try {
            pairs("end-to-end", startOurs, this::oursToKafka, stopOurs, byHand);
        } finally {
            hand.close();
            workers.shutdown();
        }
    }

    private void oursToKafka() {
        ourTask();
        awaitOutboxEmpty();
    }

    /** From the commit that queues a task by plain SQL to its first record in Kafka. */
    private void wakeUp() throws Exception {
        clear();
        var single = UUID.randomUUID();
        var user = UUID.randomUUID();
        sql.update("insert into identity.role_definitions (id, code) values (?, 'single')", single);
        sql.update("insert into identity.users (id) values (?)", user);
        sql.update(
                "insert into identity.role_assignments (id, user_id, role_id, scope_type) values (gen_random_uuid(), ?, ?,"
                        + " 'Platform')",
                user,
                single);
        int n = 200;
        var millis = new ArrayList<Double>();
        try (var application = start("");
                var consumer = consumer()) {
            awaitLanes();
            for (int i = 0; i < n + 20; i++) {
                long begun = System.nanoTime();
                enqueue(single);
                while (consumer.poll(Duration.ofSeconds(10)).isEmpty()) {
                    // the first record ends it
                }
                if (i >= 20) {
                    millis.add((System.nanoTime() - begun) / 1e6);
                }
                LockSupport.parkNanos(50_000_000);
            }
            application.camel();
        }
        percentiles("wake-up-ms", millis);
    }

    /** From the commit of a revoke to the commit of its row in the cache, with nothing else to do. */
    private void revokeToCacheIdle() throws Exception {
        clear();
        try (var cache = new CacheWatch(stack);
                var application = startWithCache(cache)) {
            awaitLanes();
            var template = application.camel().createProducerTemplate();
            var users = watched(220);
            for (var user : users.keySet()) {
                revoke(template, cache, user, users.get(user));
                awaitTrue(() -> cache.pending() == 0);
                LockSupport.parkNanos(50_000_000);
            }
            var millis = cache.millis();
            percentiles("revoke-ms-idle", millis.subList(20, millis.size()));
        }
    }

    /** The same while one fan-out of 1,000,000 users runs: a revoke every 250 ms, whatever became of the one before. */
    private void revokeToCacheBusy() throws Exception {
        clear();
        say("seeding %,d users", LARGE);
        var large = seed(stack, LARGE);
        try (var cache = new CacheWatch(stack);
                var application = startWithCache(cache)) {
            awaitLanes();
            var template = application.camel().createProducerTemplate();
            var users = watched(2_000).entrySet().iterator();
            var task = enqueue(large);
            awaitTrue(() -> processed(task) > 0);
            while (!isDone(task)) {
                var next = users.next();
                revoke(template, cache, next.getKey(), next.getValue());
                LockSupport.parkNanos(250_000_000);
            }
            awaitTrue(() -> cache.pending() == 0);
            var millis = cache.millis();
            if (millis.size() < 60) {
                throw new IllegalStateException("the fan-out was over after " + millis.size() + " revokes");
            }
            percentiles("revoke-ms-busy", millis);
            awaitOutboxEmpty();
        }
    }

    private static void revoke(ProducerTemplate template, CacheWatch cache, UUID user, UUID assignment) {
        cache.expect(user);
        template.requestBody("direct:revoke-assignments", AssignmentRevocation.of(List.of(assignment)));
        cache.committed(user);
    }

    private AccessApplication startWithCache(CacheWatch cache) throws SQLException {
        var properties = stack.settings(DATABASE);
        properties.setProperty("identity.topic", cache.topic());
        properties.setProperty("identity.access-groups", "gateway");
        return new AccessApplication(Settings.load(null, Map.of(), stack.withAccessCache(properties, cache.database())))
                .start();
    }

    /** New users of the watched company, each with one assignment. */
    private Map<UUID, UUID> watched(int count) {
        var assignments = new LinkedHashMap<UUID, UUID>();
        for (var assignment : assignments(count)) {
            assignments.put(
                    sql.queryForObject(
                            "update identity.users set company_id = ? where id = (select user_id from"
                                    + " identity.role_assignments where id = ?) returning id",
                            UUID.class,
                            CacheWatch.COMPANY,
                            assignment),
                    assignment);
        }
        return assignments;
    }

    /** From the commit of a revoke to its record in Kafka, with nothing else to do. */
    private void revokeIdle() throws Exception {
        clear();
        var millis = new ArrayList<Double>();
        try (var application = start("");
                var consumer = consumer()) {
            awaitLanes();
            var template = application.camel().createProducerTemplate();
            var assignments = assignments(220);
            for (int i = 0; i < assignments.size(); i++) {
                double waited = revoke(template, consumer, assignments.get(i));
                if (i >= 20) {
                    millis.add(waited);
                }
                LockSupport.parkNanos(50_000_000);
            }
        }
        percentiles("revoke-kafka-ms-idle", millis);
    }

    /** The same while fan-outs of 50,000 users run, one after the other. */
    private void revokeBusy() throws Exception {
        clear();
        var busy = seed(stack, 50_000);
        var millis = new ArrayList<Double>();
        try (var application = start("");
                var consumer = consumer()) {
            awaitLanes();
            var template = application.camel().createProducerTemplate();
            var task = new java.util.concurrent.atomic.AtomicReference<>(enqueue(busy));
            for (var assignment : assignments(120)) {
                if (isDone(task.get())) {
                    task.set(enqueue(busy));
                }
                millis.add(revoke(template, consumer, assignment));
                LockSupport.parkNanos(50_000_000);
            }
            awaitTrue(() -> isDone(task.get()));
            awaitOutboxEmpty();
        }
        percentiles("revoke-kafka-ms-busy", millis.subList(20, millis.size()));
    }

    /** Assignments of as many new users. */
    private List<UUID> assignments(int count) {
        return sql.queryForList(
                "with fresh as (insert into identity.users (id) select gen_random_uuid() from generate_series(1, ?)"
                        + " returning id) insert into identity.role_assignments (id, user_id, role_id, scope_type)"
                        + " select gen_random_uuid(), f.id, r.id, 'Platform' from fresh f, lateral (select id from"
                        + " identity.role_definitions where code = 'extra-one' order by id limit 1) r returning id",
                UUID.class,
                count);
    }

    /** @return milliseconds from the commit to the record */
    private double revoke(ProducerTemplate template, KafkaConsumer<byte[], byte[]> consumer, UUID assignment) {
        var user = sql.queryForObject(
                        "select user_id from identity.role_assignments where id = ?", UUID.class, assignment)
                .toString();
        template.requestBody("direct:revoke-assignments", AssignmentRevocation.of(List.of(assignment)));
        long committed = System.nanoTime();
        while (true) {
            for (var record : consumer.poll(Duration.ofSeconds(10))) {
                if (new String(record.key(), java.nio.charset.StandardCharsets.UTF_8).equals(user)) {
                    return (System.nanoTime() - committed) / 1e6;
                }
            }
        }
    }

    private boolean isDone(UUID task) {
        return sql.queryForObject("select status from identity.access_fanout_tasks where id = ?", String.class, task)
                .equals("Completed");
    }

    private static void percentiles(String name, List<Double> millis) {
        var sorted = new ArrayList<>(millis);
        sorted.sort(null);
        int n = sorted.size();
        System.out.printf(
                Locale.ROOT, "%s\t%.0f\t%.0f\t%d%n", name, sorted.get(n / 2), sorted.get((int) (n * 0.99)), n);
    }

    /** What an idle instance costs: statements a second, and per cent of one core. */
    private void idle() throws Exception {
        clear();
        try (var wire = new PostgresProxy(stack.postgres().getPort())) {
            var settings = stack.settings(DATABASE);
            settings.setProperty("identity.db.url", wire.url(DATABASE));
            settings.setProperty("management.port", "0");
            var process = WorkerProcess.start("bench-idle", settings, List.of("-Xmx256m"), List.of("run"));
            try {
                Thread.sleep(30_000); // started, and done with compiling what a start needs
                long statements = wire.count('E') + wire.count('Q');
                var cpu = process.cpu();
                long begun = System.nanoTime();
                Thread.sleep(60_000);
                double seconds = (System.nanoTime() - begun) / 1e9;
                if (!process.alive()) {
                    throw new IllegalStateException("the idle instance has ended: " + process.output());
                }
                System.out.printf(
                        Locale.ROOT,
                        "idle\t%.2f statements/s\t%.2f %% CPU%n",
                        (wire.count('E') + wire.count('Q') - statements) / seconds,
                        process.cpu().minus(cpu).toMillis() / 10.0 / seconds);
            } finally {
                process.kill();
            }
        }
    }

    /** The last tenth of the pages of a role of a million users against the first. */
    private void pageGrowth() throws Exception {
        clear();
        int users = LARGE;
        say("seeding %,d users", users);
        var large = seed(stack, users);
        try (var application = start("relay-*,fan-out-measure")) {
            ourTask(); // warm-up, on the other role
            clear();
            var task = enqueue(large);
            var times = new long[11];
            for (int tenth = 1; tenth <= 10; tenth++) {
                if (tenth == 1) {
                    awaitTrue(() -> processed(task) > 0);
                    times[0] = System.nanoTime();
                }
                int upTo = users / 10 * tenth;
                awaitTrue(() -> processed(task) >= upTo);
                times[tenth] = System.nanoTime();
                say("%d %%", tenth * 10);
            }
            double first = times[1] - times[0];
            double last = times[10] - times[9];
            System.out.printf(
                    Locale.ROOT,
                    "page-growth\t%.0f\t%.0f\t%.2f%n",
                    users / 10 / (last / 1e9),
                    users / 10 / (first / 1e9),
                    last / first);
            application.camel();
        }
        clear();
    }

    private int processed(UUID task) {
        return sql.queryForObject(
                "select processed_count from identity.access_fanout_tasks where id = ?", Integer.class, task);
    }

    private interface Step {
        void run() throws Exception;
    }

    private void pairs(String name, Step beforeOurs, Step ours, Step betweenThem, Step byHand) throws Exception {
        pairs(name, USERS, beforeOurs, ours, betweenThem, byHand, this::clear);
    }

    private static void pairs(
            String name, int items, Step beforeOurs, Step ours, Step betweenThem, Step byHand, Step afterwards)
            throws Exception {
        var ourRates = new double[PAIRS];
        var handRates = new double[PAIRS];
        for (int pair = -1; pair < PAIRS; pair++) {
            beforeOurs.run();
            double ourRate = items / time(ours);
            betweenThem.run();
            double handRate = items / time(byHand);
            afterwards.run();
            say(
                    "%s %s: %,.0f against %,.0f by hand",
                    name, pair < 0 ? "warm-up" : "pair " + (pair + 1), ourRate, handRate);
            if (pair >= 0) {
                ourRates[pair] = ourRate;
                handRates[pair] = handRate;
            }
        }
        Arrays.sort(ourRates);
        Arrays.sort(handRates);
        double our = ourRates[PAIRS / 2];
        double hand = handRates[PAIRS / 2];
        System.out.printf(Locale.ROOT, "%s\t%.0f\t%.0f\t%.2f%n", name, our, hand, our / hand);
    }

    private static double time(Step step) throws Exception {
        long begun = System.nanoTime();
        step.run();
        return (System.nanoTime() - begun) / 1e9;
    }

    private void ourTask() {
        var task = enqueue(role);
        awaitTrue(() -> isDone(task));
    }

    private void awaitOutboxEmpty() {
        awaitTrue(() -> !sql.queryForObject("select exists (select from identity.outbox)", Boolean.class));
    }

    private static void awaitTrue(java.util.function.BooleanSupplier condition) {
        long deadline = System.nanoTime() + Duration.ofMinutes(5).toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("nothing happens");
            }
            LockSupport.parkNanos(5_000_000);
        }
    }

    private UUID enqueue(UUID ofRole) {
        return sql.queryForObject("select identity.enqueue_access_fanout(?)", UUID.class, ofRole);
    }

    /** Queues a task without a notification, so that a running worker does not take it. */
    private void enqueueUnheard(UUID ofRole) {
        sql.execute("alter table identity.access_fanout_tasks disable trigger tr_access_fanout_tasks_notify");
        enqueue(ofRole);
        sql.execute("alter table identity.access_fanout_tasks enable trigger tr_access_fanout_tasks_notify");
    }

    private void awaitLanes() {
        awaitTrue(() ->
                sql.queryForObject("select count(*) from identity.relay_lanes where holder is not null", Integer.class)
                        == 4);
    }

    private void clear() {
        sql.execute("truncate identity.outbox, identity.access_fanout_tasks");
        sql.execute("checkpoint");
    }

    private AccessApplication start(String excludedRoutes) {
        var properties = stack.settings(DATABASE);
        properties.setProperty("identity.fanout.polling-interval", "1h");
        if (excludedRoutes.contains("relay")) {
            properties.setProperty("identity.fanout.max-outbox-rows", "10000000"); // nobody empties it
        }
        if (!excludedRoutes.isEmpty()) {
            properties.setProperty("camel.main.auto-startup-exclude-pattern", excludedRoutes);
        }
        if (Boolean.getBoolean("bench.tracing")) {
            properties.setProperty("tracing.otlp-endpoint", acceptingEndpoint());
        }
        return new AccessApplication(Settings.load(null, Map.of(), properties)).start();
    }

    /** Takes every trace, and keeps none; ends with the process. */
    private static String acceptingEndpoint() {
        try {
            var server = HttpServer.create(new InetSocketAddress("localhost", 0), 0);
            server.createContext("/", http -> {
                try (http) {
                    http.getRequestBody().readAllBytes();
                    http.sendResponseHeaders(200, -1);
                }
            });
            server.start();
            return "http://localhost:" + server.getAddress().getPort();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Settings settings(String name) {
        Properties properties = stack.settings(DATABASE);
        properties.setProperty("identity.relay.transactional-id-prefix", name);
        return Settings.load(null, Map.of(), properties);
    }

    private KafkaConsumer<byte[], byte[]> consumer() {
        var consumer = new KafkaConsumer<>(
                Map.<String, Object>of(
                        ConsumerConfig.BOOTSTRAP_SERVERS_CONFIG,
                        stack.kafka().brokers(),
                        ConsumerConfig.ISOLATION_LEVEL_CONFIG,
                        "read_committed"),
                new ByteArrayDeserializer(),
                new ByteArrayDeserializer());
        Set<TopicPartition> partitions = IntStream.range(0, 6)
                .mapToObj(partition -> new TopicPartition(EmbeddedStack.TOPIC, partition))
                .collect(java.util.stream.Collectors.toSet());
        consumer.assign(partitions);
        consumer.seekToEnd(partitions);
        partitions.forEach(consumer::position);
        return consumer;
    }

    /** A role whose users hold three assignments each. */
    private static UUID seed(EmbeddedStack stack, int users) throws SQLException {
        var role = UUID.randomUUID();
        try (var connection = stack.superuser(DATABASE);
                var statement = connection.createStatement()) {
            statement.execute("create temporary table seeded as select gen_random_uuid() as id from generate_series(1, "
                    + users + ")");
            statement.execute("insert into identity.role_definitions (id, code) values ('" + role
                    + "', 'agent'), (gen_random_uuid(), 'extra-one'), (gen_random_uuid(), 'extra-two')");
            statement.execute("insert into identity.users (id, company_id) select id, gen_random_uuid() from seeded");
            statement.execute("insert into identity.role_assignments (id, user_id, role_id, scope_type,"
                    + " scope_organization_id) select gen_random_uuid(), id, '" + role
                    + "', 'Organization', gen_random_uuid() from seeded");
            for (var extra : List.of("extra-one", "extra-two")) {
                statement.execute("insert into identity.role_assignments (id, user_id, role_id, scope_type,"
                        + " scope_organization_id) select gen_random_uuid(), s.id, (select min(id::text)::uuid from"
                        + " identity.role_definitions where code = '" + extra
                        + "'), 'Organization', gen_random_uuid() from seeded s");
            }
            statement.execute("vacuum analyze identity.role_assignments");
            statement.execute("vacuum analyze identity.users");
            statement.execute("checkpoint");
        }
        return role;
    }

    private static void say(String text, Object... values) {
        System.err.printf(Locale.ROOT, text + "%n", values);
    }
}
