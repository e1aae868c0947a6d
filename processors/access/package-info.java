/** What a consumer of access events decides about what its users may do. Plain Java: no endpoint and no JDBC. */
@NullMarked
package processors.access;

import org.jspecify.annotations.NullMarked;
