/** Tests of the whole: layers, settings, packaging. Those of a context are in its package. */
@NullMarked
package tests;

import org.jspecify.annotations.NullMarked;
