package processors.identity;

import java.util.UUID;

/** An archived role whose assignments are still being revoked, and the CorrelationId of all its events. */
public record RoleArchival(UUID roleId, UUID correlationId) {}
