/**
 * The proof under faults: real processes work on a database while a driver changes everything and faults hit everything;
 * afterwards what was committed is compared with what Kafka holds.
 */
@NullMarked
package tests.history;

import org.jspecify.annotations.NullMarked;
