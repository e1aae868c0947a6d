/** Measures the routes beside the best loops that we can write by hand, in the same run on the same servers. */
@NullMarked
package bench;

import org.jspecify.annotations.NullMarked;
