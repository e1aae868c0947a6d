/** The statements of the access cache, one per file, and what makes records of their rows. */
@NullMarked
package sql.access;

import org.jspecify.annotations.NullMarked;
