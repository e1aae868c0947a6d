/**
 * What every consumer of a topic needs around its decisions, whatever its events are: records as they came, offsets, dead
 * letters, and the search for the one record that the database refuses.
 */
@NullMarked
package processors.consuming;

import org.jspecify.annotations.NullMarked;
