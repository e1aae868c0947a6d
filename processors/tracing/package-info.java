/** Spans, and the ids of the work at hand on log lines: what stands beside the routes of every context. */
@NullMarked
package processors.tracing;

import org.jspecify.annotations.NullMarked;
