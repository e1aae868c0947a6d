/** Connections, migrations and notifications of PostgreSQL. */
@NullMarked
package app.db;

import org.jspecify.annotations.NullMarked;
