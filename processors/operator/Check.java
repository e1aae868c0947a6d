package processors.operator;

/**
 * What readiness has answered.
 *
 * @param message why it is down; empty when it is up
 */
public record Check(String name, boolean up, String message) {}
