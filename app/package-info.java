/** Wiring and commands: settings, beans, health, and what the command line does. */
@NullMarked
package app;

import org.jspecify.annotations.NullMarked;
