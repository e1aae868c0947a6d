package processors.identity;

import java.util.UUID;

/**
 * What became of a change of assignments: the answer of the routes that make one.
 *
 * @param correlationId the CorrelationId of its events
 * @param events appended in the same transaction: one for each user whose access has changed
 * @param complete false only for the archiving of a role of which something is left: it is revoked page by page after this
 *     transaction
 */
public record AccessChanged(UUID correlationId, int events, boolean complete) {

    public static AccessChanged of(UUID correlationId, Page changed) {
        return new AccessChanged(correlationId, changed.size(), true);
    }

    /** The first page of an archived role. */
    public static AccessChanged ofFirstPage(UUID correlationId, Page changed, boolean leftOver) {
        return new AccessChanged(correlationId, changed.size(), !leftOver);
    }
}
