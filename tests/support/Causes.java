package tests.support;

import app.AccessApplication;
import java.util.List;
import java.util.UUID;
import org.apache.camel.ProducerTemplate;
import processors.identity.AccessChanged;
import processors.identity.AssignmentGrant;
import processors.identity.AssignmentRevocation;
import processors.identity.ResourceScope;
import processors.identity.RoleChange;
import processors.identity.RoleChanged;

/** What an actor of the platform does through the routes of one instance. */
public final class Causes {

    private final ProducerTemplate template;

    public Causes(AccessApplication application) {
        template = application.camel().createProducerTemplate();
    }

    public AccessChanged grant(AssignmentGrant grant) {
        return request("direct:grant-assignment", grant);
    }

    /** @return the new assignment, platform-wide and without end */
    public UUID grant(UUID user, UUID role) {
        var grant = AssignmentGrant.of(user, role, ResourceScope.platform());
        grant(grant);
        return grant.assignmentId();
    }

    public AccessChanged revoke(UUID... assignments) {
        return request("direct:revoke-assignments", AssignmentRevocation.of(List.of(assignments)));
    }

    public AccessChanged archiveUser(UUID user) {
        return request("direct:archive-user", user);
    }

    public AccessChanged archiveRole(UUID role) {
        return request("direct:archive-role", role);
    }

    public RoleChanged change(RoleChange change) {
        return template.requestBody("direct:set-role-permissions", change, RoleChanged.class);
    }

    private AccessChanged request(String endpoint, Object body) {
        return template.requestBody(endpoint, body, AccessChanged.class);
    }
}
