package processors.identity;

import java.util.Collection;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * A wish to change the permission set of a role (FAN-02): the body of {@code direct:set-role-permissions}.
 *
 * @param codes the wanted set for {@link Kind#REPLACE} (it may be empty), else the permissions to add or to remove
 */
public record RoleChange(UUID roleId, Kind kind, Set<String> codes) {

    /** What happens to the codes. */
    public enum Kind {
        REPLACE,
        ADD,
        REMOVE
    }

    /** What a permission code looks like, for example {@code crm.leads.read}; at most 128 characters. */
    private static final Pattern PERMISSION_CODE = Pattern.compile("[A-Za-z][A-Za-z0-9._:-]{0,127}");

    /** @throws RoleChangeRejectedException if a code is malformed */
    public RoleChange {
        codes = Set.copyOf(codes);
        for (var code : new TreeSet<>(codes)) {
            if (!PERMISSION_CODE.matcher(code).matches()) {
                throw new RoleChangeRejectedException("permission code '" + code + "' of role " + roleId
                        + " is malformed: " + PERMISSION_CODE.pattern() + " is allowed");
            }
        }
    }

    public static RoleChange replace(UUID roleId, Collection<String> codes) {
        return new RoleChange(roleId, Kind.REPLACE, Set.copyOf(codes));
    }

    public static RoleChange add(UUID roleId, String code) {
        return new RoleChange(roleId, Kind.ADD, Set.of(code));
    }

    public static RoleChange remove(UUID roleId, String code) {
        return new RoleChange(roleId, Kind.REMOVE, Set.of(code));
    }
}
