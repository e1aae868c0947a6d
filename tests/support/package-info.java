/** What the tests stand on: real servers, a fresh database for each test, worker processes, a look into Kafka. */
@NullMarked
package tests.support;

import org.jspecify.annotations.NullMarked;
