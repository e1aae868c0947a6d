package processors.identity;

import java.util.UUID;

/**
 * A user whom somebody has announced (identity.announce_access, or the deletion of assignments or of the user).
 *
 * @param id the order of the announcements
 * @param transactionId the transaction that announced
 */
public record PendingAnnouncement(long id, UUID userId, AccessChangeReason reason, String transactionId) {}
