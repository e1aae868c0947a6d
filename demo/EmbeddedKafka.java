package demo;

import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ExecutionException;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.metadata.storage.Formatter;
import org.apache.kafka.server.common.MetadataVersion;
import org.jspecify.annotations.Nullable;

/** One real Kafka broker (KRaft, one node) in this JVM. It can be stopped and started again with its data. */
public final class EmbeddedKafka implements AutoCloseable {

    private final Path directory;
    private final int port;
    private final int controllerPort;
    private final Map<String, String> extra;
    private final Map<String, Integer> listeners = new LinkedHashMap<>();
    private @Nullable KafkaRaftServer server;

    private EmbeddedKafka(Path directory, int port, int controllerPort, Map<String, String> extra) {
        this.directory = directory;
        this.port = port;
        this.controllerPort = controllerPort;
        this.extra = extra;
    }

    /** A broker on a free port, ready to take requests. */
    public static EmbeddedKafka start() throws Exception {
        return start(Map.of());
    }

    /**
     * @param extra broker settings over the usual ones
     * @param protocols of more listeners, beside the one without security: SSL, SASL_SSL
     */
    public static EmbeddedKafka start(Map<String, String> extra, String... protocols) throws Exception {
        var directory = Files.createTempDirectory("access-routes-kafka");
        var kafka = new EmbeddedKafka(directory, freePort(), freePort(), extra);
        for (var protocol : protocols) {
            kafka.listeners.put(protocol, freePort());
        }
        var formatter = new Formatter()
                .setPrintStream(new PrintStream(OutputStream.nullOutputStream()))
                .setClusterId(Uuid.randomUuid().toString())
                .setNodeId(1)
                .setReleaseVersion(MetadataVersion.LATEST_PRODUCTION)
                .setControllerListenerName("CONTROLLER")
                .setMetadataLogDirectory(directory.toString())
                .addDirectory(directory.toString());
        formatter.run();
        kafka.restart();
        return kafka;
    }

    public String brokers() {
        return "localhost:" + port;
    }

    /** Where the listener of this protocol is. */
    public String brokers(String protocol) {
        return "localhost:" + listeners.get(protocol);
    }

    /** Starts the broker on its port, with the data that it has. */
    public void restart() {
        var started = new KafkaRaftServer(new KafkaConfig(properties(), false), Time.SYSTEM);
        started.startup();
        server = started;
    }

    /** Stops the broker and keeps its data. */
    public void stop() {
        var running = server;
        server = null;
        if (running != null) {
            running.shutdown();
            running.awaitShutdown();
        }
    }

    public void createTopic(String name, int partitions) throws Exception {
        createTopic(name, partitions, Map.of());
    }

    public void createTopic(String name, int partitions, Map<String, String> settings) throws Exception {
        try (var admin = Admin.create(Map.of(AdminClientConfig.BOOTSTRAP_SERVERS_CONFIG, brokers()))) {
            admin.createTopics(List.of(new NewTopic(name, partitions, (short) 1).configs(settings)))
                    .all()
                    .get();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    @Override
    public void close() throws IOException {
        stop();
        try (var files = Files.walk(directory)) {
            Collection<Path> all = files.sorted(Comparator.reverseOrder()).toList();
            for (var file : all) {
                Files.deleteIfExists(file);
            }
        }
    }

    private Properties properties() {
        var properties = new Properties();
        properties.put("process.roles", "broker,controller");
        properties.put("node.id", "1");
        properties.put("controller.quorum.voters", "1@localhost:" + controllerPort);
        properties.put("controller.listener.names", "CONTROLLER");
        var advertised = new StringBuilder("PLAINTEXT://localhost:" + port);
        listeners.forEach((protocol, at) -> advertised.append("," + protocol + "://localhost:" + at));
        properties.put("listeners", advertised + ",CONTROLLER://localhost:" + controllerPort);
        properties.put("advertised.listeners", advertised.toString());
        properties.put(
                "listener.security.protocol.map", "PLAINTEXT:PLAINTEXT,SSL:SSL,SASL_SSL:SASL_SSL,CONTROLLER:PLAINTEXT");
        properties.put("log.dirs", directory.toString());
        properties.put("auto.create.topics.enable", "false");
        properties.put("offsets.topic.replication.factor", "1");
        properties.put("offsets.topic.num.partitions", "3");
        properties.put("transaction.state.log.replication.factor", "1");
        properties.put("transaction.state.log.num.partitions", "3");
        properties.put("transaction.state.log.min.isr", "1");
        properties.put("group.initial.rebalance.delay.ms", "0");
        properties.put("log.cleaner.dedupe.buffer.size", "4194304");
        properties.put("controlled.shutdown.enable", "false");
        properties.putAll(extra);
        return properties;
    }

    private static int freePort() throws IOException {
        try (var socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }
}
