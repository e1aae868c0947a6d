package processors.operator;

/**
 * How far a group that reads the access topic is behind.
 *
 * @param records not handled yet; {@link Double#NaN} while not known
 */
public record GroupLag(String group, double records) {}
