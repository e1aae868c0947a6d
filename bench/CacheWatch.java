package bench;

import app.Settings;
import app.db.Migrations;
import demo.EmbeddedStack;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.postgresql.PGConnection;

/**
 * An access cache, and a session beside it that learns when the row of a user of one company is committed: from a trigger,
 * so that nothing polls beside what is measured.
 */
final class CacheWatch implements AutoCloseable {

    /** The company of the users that are watched. */
    static final UUID COMPANY = UUID.randomUUID();

    private final String name = "bench_watch_" + UUID.randomUUID().toString().substring(0, 8);
    private final Connection connection;
    private final Map<UUID, Wait> waits = new ConcurrentHashMap<>();
    private final List<Double> millis = new ArrayList<>();
    private final Thread listener;
    private volatile boolean closed;

    CacheWatch(EmbeddedStack stack) throws Exception {
        try (var server = stack.superuser("postgres");
                var statement = server.createStatement()) {
            statement.execute("create database " + name);
        }
        for (var topic : List.of(topic(), topic() + ".gateway.dlq")) {
            stack.kafka().createTopic(topic, ConsumerBench.PARTITIONS);
        }
        new Migrations(Settings.load(null, Map.of(), stack.accessCacheSettings(name))).run();
        stack.createAccessCacheUser(name);
        connection = stack.superuser(name);
        try (var statement = connection.createStatement()) {
            statement.execute("create function public.tell() returns trigger language plpgsql as"
                    + " $$ begin perform pg_notify('watched', new.user_id::text); return null; end $$");
            statement.execute("create trigger tell after insert or update on access_cache.user_access for each row"
                    + " when (new.company_id = '" + COMPANY + "') execute function public.tell()");
            statement.execute("listen watched");
        }
        listener = new Thread(this::listen, "cache-watch");
        listener.setDaemon(true);
        listener.start();
    }

    String database() {
        return name;
    }

    /** Of identity and the cache, and of nothing else. */
    String topic() {
        return name.replace('_', '.');
    }

    /** A change of this user will be committed: its row may come before its caller knows. */
    void expect(UUID user) {
        waits.put(user, new Wait());
    }

    /** The change is committed. */
    void committed(UUID user) {
        var wait = waits.get(user);
        wait.committed = System.nanoTime();
        wait.known.countDown();
    }

    /** How many rows have not come yet. */
    int pending() {
        return waits.size();
    }

    /** From each commit to its row, in the order of the rows. */
    List<Double> millis() {
        synchronized (millis) {
            return List.copyOf(millis);
        }
    }

    private void listen() {
        try {
            var notifications = connection.unwrap(PGConnection.class);
            while (!closed) {
                for (var told : notifications.getNotifications(100)) {
                    long now = System.nanoTime();
                    var user = UUID.fromString(told.getParameter());
                    var wait = waits.get(user);
                    wait.known.await();
                    synchronized (millis) {
                        millis.add(Math.max(0, now - wait.committed) / 1e6);
                    }
                    waits.remove(user);
                }
            }
        } catch (SQLException | InterruptedException e) {
            if (!closed) {
                throw new IllegalStateException("nobody watches the cache any more", e);
            }
        }
    }

    @Override
    public void close() throws Exception {
        closed = true;
        listener.join();
        connection.close();
    }

    private static final class Wait {
        private final CountDownLatch known = new CountDownLatch(1);
        private volatile long committed;
    }
}
