/** The routes of the access cache: endpoints, EIPs and error policy; one RouteBuilder per file. */
package routes.access;
