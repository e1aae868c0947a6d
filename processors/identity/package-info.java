/** What the identity context decides: leases, pages, snapshots, events. Plain Java: no endpoint and no JDBC. */
@NullMarked
package processors.identity;

import org.jspecify.annotations.NullMarked;
