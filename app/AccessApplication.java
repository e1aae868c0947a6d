package app;

import app.db.ContextRows;
import app.db.FileSqlComponent;
import app.db.Migrations;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.Map;
import org.apache.camel.CamelContext;
import org.apache.camel.RuntimeCamelException;
import org.apache.camel.component.micrometer.MicrometerConstants;
import org.apache.camel.component.properties.PropertiesComponent;
import org.apache.camel.main.BaseMainSupport;
import org.apache.camel.main.Main;
import org.apache.camel.main.MainListenerSupport;
import processors.consuming.DeadLetter;
import processors.consuming.Received;
import processors.news.ReplicaBatch;
import sql.identity.IdentityRows;
import sql.news.NewsRows;

/** The contexts that the settings enable, ready to run in one process. */
public final class AccessApplication implements AutoCloseable {

    private final Main main = new Main();
    private final Settings settings;

    /** Wires everything; connects to nothing. */
    public AccessApplication(Settings settings) {
        this(settings, settings.identityEnabled(), settings.newsEnabled(), Map.of());
    }

    private AccessApplication(Settings settings, boolean identity, boolean news, Map<String, String> options) {
        this.settings = settings;
        settings.forCamel().forEach(main::addOverrideProperty);
        options.forEach(main::addOverrideProperty);
        var metrics = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        main.bind(MicrometerConstants.METRICS_REGISTRY_NAME, metrics);
        main.addMainListener(new MainListenerSupport() {
            @Override
            public void beforeConfigure(BaseMainSupport created) {
                // The settings in force have looked at -D and the environment already, and are checked.
                var placeholders =
                        (PropertiesComponent) created.getCamelContext().getPropertiesComponent();
                placeholders.setSystemPropertiesMode(PropertiesComponent.SYSTEM_PROPERTIES_MODE_NEVER);
                placeholders.setEnvironmentVariableMode(PropertiesComponent.ENVIRONMENT_VARIABLES_MODE_NEVER);
            }
        });
        main.bind("sql", sqlComponent());
        if (identity) {
            IdentityContext.wire(main, settings, metrics);
        }
        if (news) {
            Consumers.wire(main, settings, metrics, NewsContext.CONSUMER);
            NewsContext.wire(main, settings, metrics);
        }
    }

    private static FileSqlComponent sqlComponent() {
        var component = new FileSqlComponent();
        component.setRowMapperFactory(
                new ContextRows(Map.of("processors.identity", new IdentityRows(), "processors.news", new NewsRows())));
        component.setServiceLocationEnabled(false);
        return component;
    }

    /** The handlers of dead letters, started, and nothing that reads a topic, works by the clock or opens a port. */
    public static AccessApplication replaying(Settings settings) {
        var application = new AccessApplication(
                settings,
                false,
                true,
                Map.of(
                        "camel.management.enabled",
                        "false",
                        "camel.main.auto-startup-exclude-pattern",
                        NewsContext.ROUTES_THAT_START_BY_THEMSELVES));
        application.main.start();
        return application;
    }

    /**
     * Handles records again, as if they had just come (REP-16): what fails again is a dead letter again.
     *
     * @return those that are dead letters again
     */
    public List<DeadLetter> replay(List<Received> records) {
        var handled = camel().createProducerTemplate()
                .send(NewsContext.HANDLER, exchange -> exchange.getMessage().setBody(records));
        if (handled.getException() != null) {
            throw RuntimeCamelException.wrapRuntimeCamelException(handled.getException());
        }
        return handled.getVariable("batch", ReplicaBatch.class).deadLetters();
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
}
