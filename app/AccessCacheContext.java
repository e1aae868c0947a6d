package app;

import app.HealthChecks.Topic;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.OptionalInt;
import org.apache.camel.main.Main;
import org.apache.kafka.common.acl.AclOperation;
import processors.access.AccessCacheObserver;
import processors.access.Freshness;
import routes.access.AccessCacheRoute;
import routes.access.FreshnessRoute;

/** The access cache of one service: its routes, and everything that they name. */
final class AccessCacheContext {

    private AccessCacheContext() {}

    static void wire(Main main, Settings settings, MeterRegistry metrics) {
        var cache = settings.accessCache();
        var observer = new AccessCacheObserver(metrics, cache.group());
        main.bind("accessCacheObserver", observer);
        main.configure().addRoutesBuilder(AccessCacheRoute.class);
        Consumers.database(main, settings, "access-cache", settings.accessCacheDatabase(), metrics);
        Consumers.health(
                main,
                settings,
                Context.ACCESS_CACHE.consumer(),
                new Topic("access-topic", cache.topic(), OptionalInt.of(6), AclOperation.READ, "nothing comes"),
                new Topic(
                        "access-dead-letter-topic",
                        cache.deadLetterTopic(),
                        OptionalInt.empty(),
                        AclOperation.WRITE,
                        "a record that cannot be applied would stop its partition"));
        if (settings.heardWatermarkTopic().isPresent()) {
            observer.hearsWatermarks();
            Consumers.health(
                    main,
                    settings,
                    "access-cache-watermarks",
                    new Topic(
                            "access-watermark-topic",
                            settings.heardWatermarkTopic().get(),
                            OptionalInt.empty(),
                            AclOperation.READ,
                            "how fresh the cache is, is not known"));
            main.bind("freshness", new Freshness(cache.topic()));
            main.configure().addRoutesBuilder(FreshnessRoute.class);
        }
    }
}
