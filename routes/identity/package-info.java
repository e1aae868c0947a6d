/** The routes of the identity context: endpoints, EIPs and error policy; one RouteBuilder per file. */
package routes.identity;
