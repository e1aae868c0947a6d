/** What those who run and edit the system rely on. */
@NullMarked
package tests.operations;

import org.jspecify.annotations.NullMarked;
