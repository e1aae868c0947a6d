/** The access cache on real servers, and its guard. */
package tests.access;
