/** The statements of the news context, one in a file, and the mapping of their rows. */
@NullMarked
package sql.news;

import org.jspecify.annotations.NullMarked;
