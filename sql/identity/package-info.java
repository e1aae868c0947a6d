/** The statements of the identity context, one in a file, and the mapping of their rows. */
@NullMarked
package sql.identity;

import org.jspecify.annotations.NullMarked;
