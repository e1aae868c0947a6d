package processors.identity;

import java.util.UUID;

/** The version of a user's assignments, at least 1 (EVT-05). */
public record UserVersion(UUID userId, long version) {}
