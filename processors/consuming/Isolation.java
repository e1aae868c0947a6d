package processors.consuming;

import java.util.List;
import java.util.Objects;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangeProperty;
import org.apache.camel.Variable;
import processors.failures.DataError;

/** What the isolating route asks of the batch in the variable {@code batch}. */
public final class Isolation {

    private Isolation() {}

    public static boolean isOpen(@Variable("batch") PartedBatch<?> batch) {
        return batch.parts().isOpen();
    }

    public static List<?> next(@Variable("batch") PartedBatch<?> batch) {
        return batch.parts().next();
    }

    public static <T> void refuse(
            @Variable("batch") PartedBatch<T> batch,
            @Variable("part") List<T> part,
            @ExchangeProperty(Exchange.EXCEPTION_CAUGHT) Throwable failure) {
        batch.refuse(part, Objects.requireNonNull(DataError.sqlState(failure)));
    }
}
