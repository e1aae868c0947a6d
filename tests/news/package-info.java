/** Tests of the news context. */
@NullMarked
package tests.news;

import org.jspecify.annotations.NullMarked;
