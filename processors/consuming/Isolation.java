package processors.consuming;

import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import org.apache.camel.Exchange;
import org.apache.camel.ExchangeProperty;
import org.apache.camel.Variable;
import org.jspecify.annotations.Nullable;
import processors.failures.DataError;

/** What the isolating route asks of the batch in the variable {@code batch}. */
public final class Isolation {

    private final Function<Throwable, @Nullable UUID> refusedRow;

    /** @param refusedRow the key of the row that the database has refused, where the failure tells it */
    public Isolation(Function<Throwable, @Nullable UUID> refusedRow) {
        this.refusedRow = refusedRow;
    }

    public boolean isOpen(@Variable("batch") PartedBatch<?> batch) {
        return batch.parts().isOpen();
    }

    public List<?> next(@Variable("batch") PartedBatch<?> batch) {
        return batch.parts().next();
    }

    public <T> void refuse(
            @Variable("batch") PartedBatch<T> batch,
            @Variable("part") List<T> part,
            @ExchangeProperty(Exchange.EXCEPTION_CAUGHT) Throwable failure) {
        batch.refuse(part, Objects.requireNonNull(DataError.sqlState(failure)), refusedRow.apply(failure));
    }
}
