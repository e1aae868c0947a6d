package processors.identity;

/** Why a user's access changed (spec user-access-changed.md, "Enum AccessChangeReason"). The names are the contract's. */
public enum AccessChangeReason {
    AssignmentGranted,
    AssignmentRevoked,
    AssignmentExpired,
    RolePermissionsChanged
}
