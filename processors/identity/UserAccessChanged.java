package processors.identity;

import com.fasterxml.jackson.annotation.JsonFormat;
import com.fasterxml.jackson.annotation.JsonPropertyOrder;
import com.fasterxml.jackson.databind.PropertyNamingStrategies.UpperCamelCaseStrategy;
import com.fasterxml.jackson.databind.annotation.JsonNaming;
import java.time.OffsetDateTime;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The value of a UserAccessChangedKafkaEvent (spec user-access-changed.md, "Payload"; EVT-02): what a user may do now,
 * as a whole. Field names in JSON are PascalCase; absent optional values are written as null.
 *
 * @param companyId the user's company; null is normal (an investor)
 * @param activeAssignments every assignment with status Active, ordered by its id; empty when all rights are revoked
 * @param version at least 1; what it counts is the record's VersionSource
 */
@JsonNaming(UpperCamelCaseStrategy.class)
@JsonPropertyOrder({"userId", "companyId", "changeReason", "activeAssignments", "version"})
public record UserAccessChanged(
        UUID userId,
        @Nullable UUID companyId,
        AccessChangeReason changeReason,
        List<ActiveRoleAssignment> activeAssignments,
        long version) {

    /**
     * One active assignment (spec, "ActiveRoleAssignmentSnapshot").
     *
     * @param scopeType Platform, Organization, ProjectGroup or Project; whatever else the database holds is sent as it
     *     is (EVT-09)
     * @param expiresAt with offset; null for an assignment without end
     */
    @JsonNaming(UpperCamelCaseStrategy.class)
    @JsonPropertyOrder({
        "assignmentId",
        "roleId",
        "roleCode",
        "scopeType",
        "scopeOrganizationId",
        "scopeProjectGroupId",
        "scopeProjectId",
        "expiresAt"
    })
    public record ActiveRoleAssignment(
            UUID assignmentId,
            UUID roleId,
            String roleCode,
            String scopeType,
            @Nullable UUID scopeOrganizationId,
            @Nullable UUID scopeProjectGroupId,
            @Nullable UUID scopeProjectId,

            @JsonFormat(shape = JsonFormat.Shape.STRING) @Nullable
            OffsetDateTime expiresAt) {}
}
