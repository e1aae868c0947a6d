package processors.access;

import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The value of an access event (spec user-access-changed.md, "Payload").
 *
 * @param companyId null for an investor
 * @param rolePermissionsChanged whether that is the ChangeReason
 * @param unknownEnums the fields that hold a value of which this version knows nothing (EVT-09)
 * @param assignments ActiveAssignments as a JSON array, its fields those of the contract
 * @param roleIds the roles of the assignments
 * @param version null where it is missing, not a number or smaller than 1 (EVT-08)
 */
public record AccessEvent(
        UUID userId,
        @Nullable UUID companyId,
        boolean rolePermissionsChanged,
        Set<String> unknownEnums,
        String assignments,
        Set<UUID> roleIds,
        @Nullable Long version) {}
