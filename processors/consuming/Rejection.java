package processors.consuming;

/**
 * Why a record can never be applied as it is.
 *
 * @param code for alerts and runbooks
 * @param reason one line for an operator, without anything of the record's content (REP-16)
 */
public record Rejection(String code, String reason) {}
