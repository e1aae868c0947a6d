package processors.failures;

import java.util.function.ToDoubleFunction;
import org.jspecify.annotations.Nullable;

/**
 * What was measured last, for gauges. Before the first time and after a failure nothing is known, and the gauges show NaN: an
 * old value would look like a good one for as long as the failure lasts.
 */
public final class Measured<T> {

    private volatile @Nullable T last;

    public void is(T measure) {
        last = measure;
    }

    public void isUnknown() {
        last = null;
    }

    /** What a gauge shows. */
    public double show(ToDoubleFunction<T> value) {
        var known = last;
        return known == null ? Double.NaN : value.applyAsDouble(known);
    }
}
