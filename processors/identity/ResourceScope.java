package processors.identity;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Where an assignment holds, with the rules of the contract (spec user-access-changed.md,
 * "ActiveRoleAssignmentSnapshot"; EVT-02): which ids a type needs, and which it cannot have.
 *
 * @param projectGroupId an id of chessboard, without foreign key
 * @param projectId an id of chessboard, without foreign key
 */
public record ResourceScope(
        Type type,
        @Nullable UUID organizationId,
        @Nullable UUID projectGroupId,
        @Nullable UUID projectId) {

    /** The scope types that an assignment may be written with here. */
    public enum Type {
        Platform,
        Organization,
        ProjectGroup,
        Project
    }

    /** @throws AssignmentRejectedException if an id is missing or has no place in a scope of this type */
    public ResourceScope {
        require(type, "ScopeOrganizationId", organizationId, type != Type.Platform, type == Type.Platform);
        require(
                type,
                "ScopeProjectGroupId",
                projectGroupId,
                type == Type.ProjectGroup,
                type.compareTo(Type.ProjectGroup) < 0);
        require(type, "ScopeProjectId", projectId, type == Type.Project, type != Type.Project);
    }

    public static ResourceScope platform() {
        return new ResourceScope(Type.Platform, null, null, null);
    }

    public static ResourceScope organization(UUID organizationId) {
        return new ResourceScope(Type.Organization, organizationId, null, null);
    }

    public static ResourceScope projectGroup(UUID organizationId, UUID projectGroupId) {
        return new ResourceScope(Type.ProjectGroup, organizationId, projectGroupId, null);
    }

    public static ResourceScope project(UUID organizationId, UUID projectId) {
        return new ResourceScope(Type.Project, organizationId, null, projectId);
    }

    /** As the database and the event have it. */
    public String typeName() {
        return type.name();
    }

    private static void require(Type type, String field, @Nullable UUID id, boolean needed, boolean refused) {
        if (needed && id == null) {
            throw new AssignmentRejectedException("a scope of type " + type + " needs a " + field);
        }
        if (refused && id != null) {
            throw new AssignmentRejectedException("a scope of type " + type + " cannot have a " + field);
        }
    }
}
