package processors.identity;

import java.util.UUID;

/** A role as it is when its change begins, locked. */
public record Role(UUID roleId, String code, long version, String status) {

    boolean archived() {
        return status.equals("Archived");
    }
}
