package app;

import app.db.ContextRows;
import app.db.FileSqlComponent;
import app.db.Migrations;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.apache.camel.CamelContext;
import org.apache.camel.RuntimeCamelException;
import org.apache.camel.component.micrometer.MicrometerConstants;
import org.apache.camel.component.properties.PropertiesComponent;
import org.apache.camel.main.BaseMainSupport;
import org.apache.camel.main.Main;
import org.apache.camel.main.MainListenerSupport;
import processors.consuming.DeadLetter;
import processors.consuming.PartedBatch;
import processors.consuming.Received;
import sql.access.AccessCacheRows;
import sql.identity.IdentityRows;
import sql.identity.OperatorRows;
import sql.news.NewsRows;

/** The contexts that the settings enable, ready to run in one process. */
public final class AccessApplication implements AutoCloseable {

    private final Main main = new Main();
    private final MeterRegistry metrics = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    private final Settings settings;

    /** Wires everything; connects to nothing. */
    public AccessApplication(Settings settings) {
        this(settings, Context.enabled(settings), Map.of());
        if (settings.operatorPage()) {
            OperatorContext.wire(main, settings, metrics);
        }
    }

    private AccessApplication(Settings settings, Set<Context> contexts, Map<String, String> options) {
        this.settings = settings;
        settings.forCamel().forEach(main::addOverrideProperty);
        options.forEach(main::addOverrideProperty);
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
        RouteScopes.wire(main, settings, contexts);
        Consumers.wire(main, settings, metrics, contexts);
        for (var context : contexts) {
            switch (context) {
                case IDENTITY -> IdentityContext.wire(main, settings, metrics);
                case NEWS -> NewsContext.wire(main, settings, metrics);
                case ACCESS_CACHE -> AccessCacheContext.wire(main, settings, metrics);
            }
        }
    }

    private static FileSqlComponent sqlComponent() {
        var component = new FileSqlComponent();
        component.setRowMapperFactory(new ContextRows(Map.of(
                "processors.identity", new IdentityRows(),
                "processors.operator", new OperatorRows(),
                "processors.news", new NewsRows(),
                "processors.access", new AccessCacheRows())));
        component.setServiceLocationEnabled(false);
        return component;
    }

    /**
     * What handles the dead letters of a consumer, started, and nothing that reads a topic, works by the clock or opens a
     * port.
     */
    public static AccessApplication replaying(Settings settings, Context context) {
        var application = new AccessApplication(
                settings,
                Set.of(context),
                Map.of(
                        "camel.management.enabled",
                        "false",
                        "camel.main.auto-startup-exclude-pattern",
                        context.routesThatStartByThemselves()));
        application.main.start();
        return application;
    }

    /**
     * Handles dead letters again (REP-16): what fails again is a dead letter again.
     *
     * @param context that they belong to
     * @return those that are dead letters again
     */
    public List<DeadLetter> replay(Context context, List<Received> records) {
        var handled = camel().createProducerTemplate().send(context.handler(), exchange -> {
            exchange.setVariable("replayed", true);
            exchange.getMessage().setBody(records);
        });
        if (handled.getException() != null) {
            throw RuntimeCamelException.wrapRuntimeCamelException(handled.getException());
        }
        return handled.getVariable("batch", PartedBatch.class).deadLetters();
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
