package processors.identity;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * What became of a role change: the answer of {@code direct:set-role-permissions}.
 *
 * @param version the role's version after the change
 * @param inlineEvents how many events were appended in the same transaction; 0 when the fan-out has a task
 * @param taskId the queued task; null when the events were appended inline or nothing changed
 */
public record RoleChanged(
        UUID roleId,
        long version,
        boolean changed,
        int inlineEvents,
        @Nullable UUID taskId) {}
