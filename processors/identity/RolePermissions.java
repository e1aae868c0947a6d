package processors.identity;

import java.util.List;

/** The permission codes of a role. */
public record RolePermissions(List<String> codes) {}
