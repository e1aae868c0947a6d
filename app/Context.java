package app;

import java.util.EnumSet;
import java.util.Set;

/** What a process may run; which of it is configuration (OPS-02). */
public enum Context {
    /** Fan-out and relay, and everything else that causes access events. */
    IDENTITY("", ""),
    NEWS("author-replica", "author-replica,author-replica-measure,purge-marks"),
    ACCESS_CACHE("access-cache", "access-cache,access-cache-measure,access-cache-watermarks,access-cache-freshness");

    private final String consumer;
    private final String startsByItself;

    Context(String consumer, String startsByItself) {
        this.consumer = consumer;
        this.startsByItself = startsByItself;
    }

    static Set<Context> enabled(Settings settings) {
        var enabled = EnumSet.noneOf(Context.class);
        if (settings.identityEnabled()) {
            enabled.add(IDENTITY);
        }
        if (settings.newsEnabled()) {
            enabled.add(NEWS);
        }
        if (settings.accessCacheEnabled()) {
            enabled.add(ACCESS_CACHE);
        }
        return enabled;
    }

    /** The name of the consumer of a context that has one: what its clients are called, and the id of its first route. */
    String consumer() {
        return consumer;
    }

    /** Takes a list of {@link processors.consuming.Received}, wherever they come from. */
    String handler() {
        return "direct:" + consumer + "-handle";
    }

    /** The routes that must not start where only dead letters are replayed. */
    String routesThatStartByThemselves() {
        return startsByItself;
    }
}
