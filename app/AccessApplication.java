package app;

import app.db.ContextRows;
import app.db.FileSqlComponent;
import app.db.Migrations;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.util.Map;
import org.apache.camel.CamelContext;
import org.apache.camel.component.micrometer.MicrometerConstants;
import org.apache.camel.component.properties.PropertiesComponent;
import org.apache.camel.main.BaseMainSupport;
import org.apache.camel.main.Main;
import org.apache.camel.main.MainListenerSupport;
import sql.identity.IdentityRows;
import sql.news.NewsRows;

/** The contexts that the settings enable, ready to run in one process. */
public final class AccessApplication implements AutoCloseable {

    private final Main main = new Main();
    private final Settings settings;

    /** Wires everything; connects to nothing. */
    public AccessApplication(Settings settings) {
        this.settings = settings;
        settings.forCamel().forEach(main::addOverrideProperty);
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
        if (settings.identityEnabled()) {
            IdentityContext.wire(main, settings, metrics);
        }
        if (settings.newsEnabled()) {
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
