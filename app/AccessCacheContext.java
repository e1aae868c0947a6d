package app;

import app.HealthChecks.Topic;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.OptionalInt;
import org.apache.camel.main.Main;
import processors.access.AccessCacheObserver;
import routes.access.AccessCacheRoute;

/** The access cache of one service: its routes, and everything that they name. */
final class AccessCacheContext {

    private AccessCacheContext() {}

    static void wire(Main main, Settings settings, MeterRegistry metrics) {
        var cache = settings.accessCache();
        main.bind("accessCacheObserver", new AccessCacheObserver(metrics, cache.group()));
        main.configure().addRoutesBuilder(AccessCacheRoute.class);
        Consumers.database(main, "access-cache", settings.accessCacheDatabase());
        Consumers.health(
                main,
                settings,
                Context.ACCESS_CACHE,
                new Topic("access-topic", cache.topic(), OptionalInt.of(6), "nothing comes"),
                new Topic(
                        "access-dead-letter-topic",
                        cache.deadLetterTopic(),
                        OptionalInt.empty(),
                        "a record that cannot be applied would stop its partition"));
    }
}
