package app;

import app.db.Databases;
import app.db.Notifications;
import app.db.Statements;
import app.db.Transactions;
import app.kafka.AccessGroups;
import app.kafka.ConsumerClients;
import app.kafka.LanePublishers;
import app.kafka.Pacing;
import app.kafka.TopicOffsets;
import com.zaxxer.hikari.HikariDataSource;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.OptionalInt;
import org.apache.camel.CamelContext;
import org.apache.camel.RuntimeCamelException;
import org.apache.camel.component.jackson.JacksonDataFormat;
import org.apache.camel.main.BaseMainSupport;
import org.apache.camel.main.Main;
import org.apache.camel.main.MainListenerSupport;
import org.apache.camel.support.service.ServiceSupport;
import org.apache.kafka.common.acl.AclOperation;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import processors.failures.Failures;
import processors.identity.AccessGroupObserver;
import processors.identity.AccessJson;
import processors.identity.BackPressure;
import processors.identity.FanOutObserver;
import processors.identity.JobObserver;
import processors.identity.RelayObserver;
import processors.identity.RoleChanges;
import processors.identity.UserAccessChanged;
import processors.identity.Watermarks;
import routes.identity.AccessGroupsRoute;
import routes.identity.AccessJobRoute;
import routes.identity.AccessSnapshotsRoute;
import routes.identity.AnnouncementsRoute;
import routes.identity.ArchiveRoleRoute;
import routes.identity.ExpireAssignmentsRoute;
import routes.identity.FanOutPageRoute;
import routes.identity.FanOutPollRoute;
import routes.identity.FanOutRoute;
import routes.identity.GrantAssignmentRoute;
import routes.identity.RelayLaneRoute;
import routes.identity.RelayPollRoute;
import routes.identity.RetentionRoute;
import routes.identity.RevokeAssignmentsRoute;
import routes.identity.SetRolePermissionsRoute;
import routes.identity.WatermarksRoute;

/** The identity context: its routes, and everything that they name. */
final class IdentityContext {

    private static final Logger LOG = LoggerFactory.getLogger(IdentityContext.class);

    private final HikariDataSource database;
    private final LanePublishers lanePublishers;
    private final TopicOffsets pacingOffsets;
    private final TopicOffsets watermarkOffsets;
    private final AccessGroups accessGroups;

    private IdentityContext(Settings settings) {
        database = Databases.pool("identity", settings.identityDatabase());
        lanePublishers = new LanePublishers(
                settings.brokers(),
                settings.kafkaClient(),
                settings.transactionalIdPrefix(),
                settings.relayBatchSize(),
                settings.laneLease().multipliedBy(2));
        // Each with a client of its own: where Kafka does not answer, pages do not wait for measures or watermarks.
        pacingOffsets = topicOffsets(settings);
        watermarkOffsets = topicOffsets(settings);
        accessGroups = new AccessGroups(settings.accessGroups(), topicOffsets(settings));
    }

    private static TopicOffsets topicOffsets(Settings settings) {
        return new TopicOffsets(settings.brokers(), settings.kafkaClient(), settings.accessTopic());
    }

    static void wire(Main main, Settings settings, MeterRegistry metrics) {
        var context = new IdentityContext(settings);
        context.database.setMetricRegistry(metrics);
        main.bind("identity-db", context.database);
        main.bind("identity-tx", Transactions.policy(context.database));
        main.bind("lanePublishers", context.lanePublishers);
        main.bind("contractHeaders", new ContractHeaders());
        main.bind("accessJson", accessJson());
        main.bind("fanOutObserver", new FanOutObserver(metrics));
        main.bind("jobObserver", new JobObserver(metrics));
        main.bind("relayObserver", new RelayObserver(metrics));
        main.bind("roleChanges", new RoleChanges());
        main.bind("backPressure", new BackPressure());
        main.bind("pacing", new Pacing(settings.accessGroups(), settings.mostGroupLag(), context.pacingOffsets));
        main.configure()
                .addRoutesBuilder(
                        FanOutPollRoute.class,
                        FanOutRoute.class,
                        FanOutPageRoute.class,
                        AccessSnapshotsRoute.class,
                        SetRolePermissionsRoute.class,
                        GrantAssignmentRoute.class,
                        RevokeAssignmentsRoute.class,
                        ArchiveRoleRoute.class,
                        ExpireAssignmentsRoute.class,
                        AnnouncementsRoute.class,
                        RetentionRoute.class,
                        AccessJobRoute.class,
                        RelayPollRoute.class,
                        RelayLaneRoute.class);
        if (!settings.accessGroups().isEmpty()) {
            main.bind("accessGroups", context.accessGroups);
            main.bind("accessGroupObserver", new AccessGroupObserver(metrics, settings.accessGroups()));
            main.configure().addRoutesBuilder(AccessGroupsRoute.class);
        }
        if (settings.watermarkTopic().isPresent()) {
            main.bind(
                    "watermarkClients",
                    new ConsumerClients(
                            settings.brokers(),
                            settings.kafkaClient(),
                            (client, failure) -> {},
                            (client, partitions) -> {}));
            main.bind("watermarkOffsets", context.watermarkOffsets);
            main.bind("watermarks", new Watermarks());
            main.configure().addRoutesBuilder(WatermarksRoute.class);
        }
        main.addMainListener(new MainListenerSupport() {
            @Override
            public void afterConfigure(BaseMainSupport configured) {
                context.attach(configured.getCamelContext(), settings);
            }
        });
    }

    /** What lives and dies with the routes: it is stopped after them, the last added first. */
    private void attach(CamelContext camel, Settings settings) {
        try {
            camel.addService(new ServiceSupport() {
                @Override
                protected void doStop() {
                    lanePublishers.close();
                    accessGroups.close();
                    pacingOffsets.close();
                    watermarkOffsets.close();
                    releaseLanes();
                    database.close();
                }
            });
            camel.addService(new Notifications(
                    settings.identityDatabase().at(settings.listenUrl()),
                    Map.of(
                            "access_fanout_tasks", "seda:fan-out-wake?size=1&discardWhenFull=true",
                            "access_announcements", "seda:announcements-wake?size=1&discardWhenFull=true",
                            "access_role_archivals", "seda:role-archivals-wake?size=1&discardWhenFull=true",
                            "access_outbox", "seda:relay-wake?size=1&discardWhenFull=true")));
            HealthChecks.database(camel, settings, "identity", database);
            settings.accessTopics()
                    .forEach(topic -> HealthChecks.topic(
                            camel,
                            settings,
                            new HealthChecks.Topic(
                                    "topic-" + topic,
                                    topic,
                                    OptionalInt.of(6),
                                    AclOperation.WRITE,
                                    "events wait in the outbox")));
            settings.watermarkTopic()
                    .ifPresent(topic -> HealthChecks.topic(
                            camel,
                            settings,
                            new HealthChecks.Topic(
                                    "watermark-topic",
                                    topic,
                                    OptionalInt.empty(),
                                    AclOperation.WRITE,
                                    "caches do not hear how fresh they are")));
            HealthChecks.transactions(camel, settings, lanePublishers.transactionalIds(RelayLaneRoute.LANES));
        } catch (Exception e) {
            throw RuntimeCamelException.wrapRuntimeCamelException(e);
        }
    }

    private void releaseLanes() {
        try {
            new Statements(database)
                    .update("identity/relay/release-lanes", Map.of("publisher", lanePublishers.publisherId()));
        } catch (DataAccessException e) {
            LOG.atInfo()
                    .addKeyValue("exception", Failures.describe(e))
                    .log("lanes not given back, their lease expires");
        }
    }

    private static JacksonDataFormat accessJson() {
        return new JacksonDataFormat(AccessJson.mapper(), UserAccessChanged.class);
    }
}
