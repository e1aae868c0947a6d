/** The routes that every consumer of a topic shares: waiting, isolation of bad records, dead letters. */
package routes.consuming;
