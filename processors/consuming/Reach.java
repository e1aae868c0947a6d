package processors.consuming;

import java.time.Instant;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * How far a group has got in its topic.
 *
 * @param positions by partition: every record before them is handled; without the partitions of which records were missed
 * @param behind how many offsets lie between the group and the end of what may be read: its records that are not handled, and
 *     the marks of transactions among them; 0 when everything is handled
 * @param oldest when the first record that is not handled was sent; null where there is none
 */
public record Reach(
        Map<Integer, Long> positions, long behind, @Nullable Instant oldest) {}
