/** The embedded stack and the demos: everything runs in one JVM, on free ports, and is gone afterwards. */
@NullMarked
package demo;

import org.jspecify.annotations.NullMarked;
