/** The clients of Kafka that the routes' endpoints use. */
@NullMarked
package app.kafka;

import org.jspecify.annotations.NullMarked;
