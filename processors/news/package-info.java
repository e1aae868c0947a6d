/** What the news context decides about authors. Plain Java: no endpoint and no JDBC. */
@NullMarked
package processors.news;

import org.jspecify.annotations.NullMarked;
