package processors.consuming;

import java.util.ArrayList;
import java.util.List;
import org.apache.camel.CamelContext;
import org.apache.camel.Exchange;
import org.apache.camel.Message;
import org.apache.camel.component.kafka.KafkaConstants;
import org.apache.camel.support.DefaultMessage;

/** Makes messages of the dead letters in the body: camel-kafka sends a list of messages with a key for each. */
public final class DeadLetterRecords {

    private DeadLetterRecords() {}

    public static List<Message> whole(List<DeadLetter> letters, Exchange exchange) {
        var messages = new ArrayList<Message>(letters.size());
        for (var letter : letters) {
            messages.add(message(exchange.getContext(), letter));
        }
        return messages;
    }

    /** The letter as it is: a list with one message. */
    public static List<Message> one(DeadLetter letter, Exchange exchange) {
        return List.of(message(exchange.getContext(), letter));
    }

    /** The letter without what makes it too large: a list with one message. */
    public static List<Message> withoutValue(DeadLetter letter, Exchange exchange) {
        return List.of(message(exchange.getContext(), letter.withoutValue()));
    }

    private static Message message(CamelContext context, DeadLetter letter) {
        var message = new DefaultMessage(context);
        if (letter.key() != null) {
            message.setHeader(KafkaConstants.KEY, letter.key());
        }
        message.setBody(letter);
        return message;
    }
}
