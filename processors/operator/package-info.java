/** What an operator sees on one page, of whatever this process runs. It knows no context's code: numbers, times and states only. */
@NullMarked
package processors.operator;

import org.jspecify.annotations.NullMarked;
