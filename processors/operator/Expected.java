package processors.operator;

import java.util.UUID;

/**
 * How many users a task will have told in the end.
 *
 * @param more whether there are more than that, which were not counted
 */
public record Expected(UUID taskId, long users, boolean more) {}
