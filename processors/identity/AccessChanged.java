package processors.identity;

import java.util.UUID;

/**
 * What became of a change of assignments: the answer of the routes that make one.
 *
 * @param correlationId the CorrelationId of its events
 * @param events appended in the same transaction: one for each user whose access has changed
 * @param complete false only for the archiving of a large role: the rest is revoked page by page after this transaction
 */
public record AccessChanged(UUID correlationId, int events, boolean complete) {

    public static AccessChanged of(UUID correlationId, Page changed) {
        return new AccessChanged(correlationId, changed.size(), true);
    }

    /** The first page of an archived role; a page that is not full was the last. */
    public static AccessChanged ofFirstPage(UUID correlationId, Page changed, boolean more) {
        return new AccessChanged(correlationId, changed.size(), !more);
    }
}
