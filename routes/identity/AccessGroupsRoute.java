package routes.identity;

import org.apache.camel.builder.RouteBuilder;

/**
 * Looks how far the groups are that read the access events (FAN-19): what nobody has read is not delivered. Runs only where
 * {@code identity.access-groups} names some.
 */
public class AccessGroupsRoute extends RouteBuilder {

    @Override
    public void configure() {
        from("timer:access-groups?period={{identity.measure-interval}}&delay=0")
                .routeId("access-groups")
                .description("Measures how far each group that reads the access events is behind, for the gauges")
                .split(method("accessGroups", "names"))
                    .setVariable("group", body())
                    .doTry()
                        .setBody(method("accessGroups", "lag"))
                        .bean("accessGroupObserver", "measured")
                    .endDoTry()
                    .doCatch(Exception.class)
                        .bean("accessGroupObserver", "notMeasured")
                    .end()
                .end();
    }
}
