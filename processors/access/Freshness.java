package processors.access;

import java.nio.charset.StandardCharsets;
import java.time.OffsetDateTime;
import java.util.ArrayDeque;
import java.util.Deque;
import org.apache.camel.Body;
import org.apache.camel.Header;
import org.apache.camel.component.kafka.KafkaConstants;
import org.jspecify.annotations.Nullable;
import processors.consuming.Reach;

/** Watermarks on their way to being reached. One process of a group hears them; another may go on at any time. */
public final class Freshness {

    /** An hour of them. When a consumer is further behind than that, the oldest are let go: later ones say more. */
    private static final int MOST = 3_600;

    private final Deque<Watermark> waiting = new ArrayDeque<>();

    private final String topic;

    /** @param topic of the events that are read */
    public Freshness(String topic) {
        this.topic = topic;
    }

    /**
     * Hears a watermark, unless it is about another topic.
     *
     * @throws processors.consuming.RejectedException if it is no watermark
     */
    public synchronized void heard(@Header(KafkaConstants.KEY) byte @Nullable [] key, @Body byte[] value) {
        if (key == null || !topic.equals(new String(key, StandardCharsets.UTF_8))) {
            return;
        }
        waiting.addLast(Watermark.of(value));
        if (waiting.size() > MOST) {
            waiting.removeFirst();
        }
    }

    public synchronized boolean isWaiting() {
        return !waiting.isEmpty();
    }

    /**
     * The latest time before which everything is handled; null where no more is known than before.
     *
     * @param reach of the group that handles the events
     */
    public synchronized @Nullable OffsetDateTime reached(@Body Reach reach) {
        OffsetDateTime latest = null;
        for (var watermarks = waiting.iterator(); watermarks.hasNext(); ) {
            var watermark = watermarks.next();
            if (watermark.isReached(reach.positions())) {
                watermarks.remove();
                latest = latest == null || watermark.completeUntil().isAfter(latest)
                        ? watermark.completeUntil()
                        : latest;
            }
        }
        return latest;
    }
}
