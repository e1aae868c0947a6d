package processors.operator;

import java.time.Duration;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;

/** Times in UTC, and how long something takes, in words. */
final class Times {

    private static final DateTimeFormatter SHOWN = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss 'UTC'");

    private Times() {}

    static String utc(OffsetDateTime time) {
        return time.withOffsetSameInstant(ZoneOffset.UTC).format(SHOWN);
    }

    /** For the attribute of a {@code time} element. */
    static String iso(OffsetDateTime time) {
        return time.withOffsetSameInstant(ZoneOffset.UTC)
                .truncatedTo(ChronoUnit.SECONDS)
                .format(DateTimeFormatter.ISO_OFFSET_DATE_TIME);
    }

    /** In the two largest units that are of interest; never negative, for two clocks never agree. */
    static String words(Duration duration) {
        long seconds = Math.max(0, duration.toSeconds());
        if (seconds < 120) {
            return seconds + " s";
        }
        long minutes = seconds / 60;
        if (minutes < 120) {
            return minutes + " min";
        }
        long hours = minutes / 60;
        return hours < 48 ? hours + " h " + minutes % 60 + " min" : hours / 24 + " days";
    }
}
