/** The routes of the news context: endpoints, EIPs and error policy; one RouteBuilder per file. */
package routes.news;
