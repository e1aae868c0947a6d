/** Which failures pass by themselves, and how long to wait for that. */
@NullMarked
package processors.failures;

import org.jspecify.annotations.NullMarked;
