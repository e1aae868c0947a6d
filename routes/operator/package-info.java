/** The operator's page: what asks for it, and what it asks; one RouteBuilder per file. */
package routes.operator;
