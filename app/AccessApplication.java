package app;

import app.db.Databases;
import app.db.FileSqlComponent;
import app.db.Migrations;
import app.db.Notifications;
import app.db.Statements;
import app.db.Transactions;
import app.kafka.LanePublishers;
import com.fasterxml.jackson.databind.SerializationFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jsr310.JavaTimeModule;
import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.Map;
import org.apache.camel.CamelContext;
import org.apache.camel.RuntimeCamelException;
import org.apache.camel.component.jackson.JacksonDataFormat;
import org.apache.camel.component.micrometer.MicrometerConstants;
import org.apache.camel.component.properties.PropertiesComponent;
import org.apache.camel.main.BaseMainSupport;
import org.apache.camel.main.Main;
import org.apache.camel.main.MainListenerSupport;
import org.apache.camel.support.service.ServiceSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import processors.failures.Failures;
import processors.identity.BackPressure;
import processors.identity.FanOutObserver;
import processors.identity.RelayObserver;
import processors.identity.RoleChanges;
import processors.identity.UserAccessChanged;
import routes.identity.AccessSnapshotsRoute;
import routes.identity.FanOutPageRoute;
import routes.identity.FanOutPollRoute;
import routes.identity.FanOutRoute;
import routes.identity.RelayLaneRoute;
import routes.identity.RelayPollRoute;
import routes.identity.SetRolePermissionsRoute;
import sql.identity.IdentityRows;

/** The routes with everything that they name, ready to run in one process. */
public final class AccessApplication implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(AccessApplication.class);

    private final Settings settings;
    private final Main main = new Main();
    private final HikariDataSource identityDb;
    private final LanePublishers lanePublishers;

    /** Wires everything; connects to nothing. */
    public AccessApplication(Settings settings) {
        this.settings = settings;
        settings.forCamel().forEach(main::addOverrideProperty);

        var metrics = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        main.bind(MicrometerConstants.METRICS_REGISTRY_NAME, metrics);

        identityDb = Databases.pool("identity", settings.identityDatabase());
        main.bind("identity-db", identityDb);
        main.bind("identity-tx", Transactions.policy(identityDb));
        main.bind("sql", sqlComponent());

        lanePublishers = new LanePublishers(
                settings.brokers(),
                settings.kafkaClient(),
                settings.transactionalIdPrefix(),
                settings.relayBatchSize());
        main.bind("lanePublishers", lanePublishers);
        main.bind("contractHeaders", new ContractHeaders());

        main.bind("accessJson", accessJson());
        main.bind("fanOutObserver", new FanOutObserver(metrics));
        main.bind("relayObserver", new RelayObserver(metrics));
        main.bind("roleChanges", new RoleChanges());
        main.bind("backPressure", new BackPressure());

        main.configure()
                .addRoutesBuilder(
                        FanOutPollRoute.class,
                        FanOutRoute.class,
                        FanOutPageRoute.class,
                        AccessSnapshotsRoute.class,
                        SetRolePermissionsRoute.class,
                        RelayPollRoute.class,
                        RelayLaneRoute.class);
        main.addMainListener(new MainListenerSupport() {
            @Override
            public void beforeConfigure(BaseMainSupport created) {
                // The settings in force have looked at -D and the environment already, and are checked.
                var placeholders =
                        (PropertiesComponent) created.getCamelContext().getPropertiesComponent();
                placeholders.setSystemPropertiesMode(PropertiesComponent.SYSTEM_PROPERTIES_MODE_NEVER);
                placeholders.setEnvironmentVariableMode(PropertiesComponent.ENVIRONMENT_VARIABLES_MODE_NEVER);
            }

            @Override
            public void afterConfigure(BaseMainSupport configured) {
                attach(configured.getCamelContext());
            }
        });
    }

    /** Migrates first where the settings say so, then starts the routes; returns when they run. */
    public AccessApplication start() {
        migrate();
        main.start();
        return this;
    }

    /**
     * Starts as {@link #start} does, and returns when the process has been asked to stop and has stopped.
     *
     * @return the exit code of the process
     */
    public int run() throws Exception {
        migrate();
        main.run();
        return main.getExitCode();
    }

    public CamelContext camel() {
        return main.getCamelContext();
    }

    @Override
    public void close() {
        main.stop();
    }

    private void migrate() {
        if (settings.migrateOnStart()) {
            new Migrations(settings).run();
        }
    }

    /** What lives and dies with the context: it is stopped after the routes, the last added first. */
    private void attach(CamelContext camel) {
        try {
            camel.addService(new ServiceSupport() {
                @Override
                protected void doStop() {
                    lanePublishers.close();
                    releaseLanes();
                    identityDb.close();
                }
            });
            camel.addService(new Notifications(
                    settings.identityDatabase().at(settings.listenUrl()),
                    Map.of(
                            "access_fanout_tasks", "seda:fan-out-wake?size=1&discardWhenFull=true",
                            "access_outbox", "seda:relay-wake?size=1&discardWhenFull=true")));
            HealthChecks.register(camel, identityDb, settings);
        } catch (Exception e) {
            throw RuntimeCamelException.wrapRuntimeCamelException(e);
        }
    }

    private void releaseLanes() {
        try {
            new Statements(identityDb)
                    .update("identity/relay/release-lanes", Map.of("publisher", lanePublishers.publisherId()));
        } catch (DataAccessException e) {
            LOG.info("lanes not given back, their lease expires: {}", Failures.describe(e));
        }
    }

    private static FileSqlComponent sqlComponent() {
        var component = new FileSqlComponent();
        component.setRowMapperFactory(new IdentityRows());
        component.setServiceLocationEnabled(false);
        return component;
    }

    private static JacksonDataFormat accessJson() {
        var mapper = JsonMapper.builder()
                .addModule(new JavaTimeModule())
                .disable(SerializationFeature.WRITE_DATES_AS_TIMESTAMPS)
                .build();
        return new JacksonDataFormat(mapper, UserAccessChanged.class);
    }
}
