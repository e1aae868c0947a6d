package processors.identity;

/**
 * A lane of the outbox that this publisher holds.
 *
 * @param number from 0 on
 * @param epoch raised whenever somebody takes the lane; the producer of an older epoch is fenced
 * @param hasRows whether there was something to publish when the lane was looked at
 */
public record Lane(int number, long epoch, boolean hasRows) {}
