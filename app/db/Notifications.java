package app.db;

import app.Settings.Database;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Map;
import org.apache.camel.CamelContext;
import org.apache.camel.CamelContextAware;
import org.apache.camel.ProducerTemplate;
import org.apache.camel.support.service.ServiceSupport;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import processors.failures.Backoff;
import processors.failures.Failures;

/**
 * Listens for what is committed (FAN-03) and wakes routes: speed only, polling is the guarantee. It has a session of its
 * own, because LISTEN is session state and must never be on a pooled connection, and because Camel's own component for
 * it (camel-pgevent) takes another JDBC driver.
 *
 * <p>After each connect everything is woken once: nobody knows what was notified before.
 */
public final class Notifications extends ServiceSupport implements CamelContextAware {

    private static final Logger LOG = LoggerFactory.getLogger(Notifications.class);
    private static final int WAIT_MILLIS = 30_000;

    private final Database database;
    private final Map<String, String> endpointByChannel;
    private @Nullable CamelContext context;
    private volatile @Nullable Connection connection;
    private volatile @Nullable Thread thread;

    /** @param endpointByChannel the endpoint to which a notification of each channel is sent, without content */
    public Notifications(Database database, Map<String, String> endpointByChannel) {
        this.database = database;
        this.endpointByChannel = Map.copyOf(endpointByChannel);
    }

    @Override
    protected void doStart() {
        thread = new Thread(this::run, "postgres-notifications");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    protected void doStop() throws Exception {
        var listening = thread;
        thread = null;
        if (listening != null) {
            listening.interrupt();
            abortConnection();
            listening.join(2_000);
        }
    }

    private void run() {
        var template = context.createProducerTemplate();
        int failures = 0;
        while (thread == Thread.currentThread()) {
            try (var session = connect()) {
                listen(session);
                failures = 0;
                endpointByChannel.values().forEach(endpoint -> wake(template, endpoint));
                forward(session, template);
            } catch (SQLException | RuntimeException e) {
                if (thread == Thread.currentThread()) {
                    if (failures++ == 0) {
                        LOG.atWarn()
                                .addKeyValue("exception", Failures.describe(e))
                                .log("notifications lost, polling goes on");
                    }
                    pause(Backoff.millis(failures));
                }
            }
        }
    }

    private Connection connect() throws SQLException {
        var properties = Databases.driver("access-routes-listen");
        properties.setProperty("user", database.user());
        properties.setProperty("password", database.password());
        var session = DriverManager.getConnection(database.url(), properties);
        connection = session;
        return session;
    }

    private void listen(Connection session) throws SQLException {
        try (var statement = session.createStatement()) {
            for (var channel : endpointByChannel.keySet()) {
                statement.execute("listen " + channel);
            }
        }
        LOG.debug("listening to {}", endpointByChannel.keySet());
    }

    private void forward(Connection session, ProducerTemplate template) throws SQLException {
        while (thread == Thread.currentThread()) {
            var notifications = session.unwrap(PGConnection.class).getNotifications(WAIT_MILLIS);
            if (notifications == null) {
                // Silence proves nothing: a connection that was cut without a word is silent too.
                if (!session.isValid(2)) {
                    throw new SQLException("the listening session is dead");
                }
                continue;
            }
            for (var notification : notifications) {
                wake(template, endpointByChannel.get(notification.getName()));
            }
        }
    }

    private static void wake(ProducerTemplate template, @Nullable String endpoint) {
        if (endpoint != null) {
            template.sendBody(endpoint, null);
        }
    }

    private void pause(long millis) {
        try {
            Thread.sleep(millis);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Not close(): that would wait for the read that it shall end. */
    private void abortConnection() {
        var open = connection;
        if (open != null) {
            try {
                open.abort(Runnable::run);
            } catch (SQLException e) {
                LOG.debug("ending the listening session: {}", Failures.describe(e));
            }
        }
    }

    @Override
    public void setCamelContext(CamelContext camelContext) {
        this.context = camelContext;
    }

    @Override
    public @Nullable CamelContext getCamelContext() {
        return context;
    }
}
