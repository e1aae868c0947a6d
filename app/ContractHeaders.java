package app;

import java.util.Set;
import org.apache.camel.Exchange;
import org.apache.camel.spi.HeaderFilterStrategy;
import org.jspecify.annotations.Nullable;

/** Which headers leave the process: those of the contract and no other (contract.md; cases.md 10). */
public final class ContractHeaders implements HeaderFilterStrategy {

    /** As schemas/access-headers.v1.json describes them. */
    public static final Set<String> ALLOWED = Set.of(
            "MessageId",
            "EventType",
            "ContractVersion",
            "CreatedAt",
            "AggregateId",
            "AggregateType",
            "CorrelationId",
            "VersionSource",
            "traceparent");

    /** @return true when the header stays here */
    @Override
    public boolean applyFilterToCamelHeaders(String name, @Nullable Object value, Exchange exchange) {
        return !ALLOWED.contains(name);
    }

    @Override
    public boolean applyFilterToExternalHeaders(String name, @Nullable Object value, Exchange exchange) {
        return false;
    }
}
