/** What the command line does (contract.md, "Running"). */
@NullMarked
package app.commands;

import org.jspecify.annotations.NullMarked;
