package processors.consuming;

import java.util.Objects;
import org.apache.camel.Exchange;
import org.apache.camel.Processor;

/** Fails the batch with what was caught: nothing of it is acknowledged, and it is read again. */
public final class ReadAgain implements Processor {

    @Override
    public void process(Exchange exchange) throws Exception {
        throw Objects.requireNonNull(exchange.getProperty(Exchange.EXCEPTION_CAUGHT, Exception.class));
    }
}
