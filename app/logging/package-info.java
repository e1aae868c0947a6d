/** How log lines look: for people, or one JSON object each. */
@NullMarked
package app.logging;

import org.jspecify.annotations.NullMarked;
