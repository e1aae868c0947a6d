package tests.operations;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import app.Settings;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.HTTPGetAction;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.LabelSelector;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicyPort;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.openshift.api.model.monitoring.v1.PodMonitor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tests.operations.Kinds.Integration;
import tests.operations.Kinds.ScaledObject;
import tests.operations.Kinds.TriggerAuthentication;

/** What k8s/ says, against Kubernetes and against the application. No cluster is needed, and no tool. */
@DisplayName("The manifests")
class ManifestsTest {

    /** In the place of every secret; what protects the key store, too. */
    static final String SECRET = "swordfish";

    private static final Path FOLDER = Path.of("k8s");
    private static final Pattern JDBC = Pattern.compile("jdbc:postgresql://([^:/]+):(\\d+)/([a-z_]+)\\?.*");

    @TempDir
    private static Path stores;

    private static Map<String, byte[]> secrets = Map.of();

    @TempDir
    private Path mounts;

    @BeforeAll
    static void keys() throws Exception {
        var store = stores.resolve("user.p12");
        keytool(
                "-genkeypair",
                "-alias",
                "user",
                "-keyalg",
                "EC",
                "-dname",
                "CN=user",
                "-storetype",
                "PKCS12",
                "-storepass",
                SECRET,
                "-keystore",
                store.toString());
        var certificate = stores.resolve("ca.crt");
        keytool(
                "-exportcert",
                "-rfc",
                "-alias",
                "user",
                "-storepass",
                SECRET,
                "-keystore",
                store.toString(),
                "-file",
                certificate.toString());
        secrets = Map.of(".p12", Files.readAllBytes(store), ".crt", Files.readAllBytes(certificate));
    }

    private static void keytool(String... arguments) throws Exception {
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "keytool").toString()));
        command.addAll(List.of(arguments));
        var process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(stores.resolve("keytool.log").toFile())
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue())
                .as(Files.readString(stores.resolve("keytool.log")))
                .isZero();
    }

    @Test
    @DisplayName("OPS-08 every file under k8s/ is named by a kustomization, and every file that one names exists")
    void files() throws IOException {
        var named = new TreeSet<Path>();
        var existing = new TreeSet<Path>();
        try (var files = Files.walk(FOLDER)) {
            for (var file : files.filter(Files::isRegularFile).toList()) {
                existing.add(file);
                if (file.endsWith("kustomization.yaml")) {
                    named.addAll(Kustomization.files(file.getParent()));
                }
            }
        }
        assertThat(named).isEqualTo(existing);
    }

    @ParameterizedTest(name = "OPS-08 {0}: every object is one that its kind allows")
    @ValueSource(
            strings = {"base", "access-cache", "kafka", "overlays/dev", "overlays/prod", "overlays/gateway", "camel-k"})
    void kinds(String folder) throws IOException {
        for (var object : render(folder)) {
            assertThatNoException().as(object.toPrettyString()).isThrownBy(() -> Kinds.read(object));
        }
    }

    @Test
    @DisplayName("OPS-08 what the check of kinds is for: unknown fields and unquoted values are found")
    void strict() throws IOException {
        for (var mistake : List.of(
                "{apiVersion: apps/v1, kind: Deployment, spec: {replica: 2}}",
                "{apiVersion: apps/v1, kind: Deployment, spec: {template: {spec: {containers: [{images: a}]}}}}",
                "{apiVersion: apps/v1, kind: Deployment, spec: {template: {spec: {containers: [{env: [{value: true}]}]}}}}",
                "{apiVersion: keda.sh/v1alpha1, kind: ScaledObject, spec: {triggers: [{metadata: {lagThreshold: 5}}]}}",
                "{apiVersion: apps/v1beta1, kind: Deployment}",
                "{apiVersion: camel.apache.org/v1, kind: Integration, spec: {template: {spec: {enableServiceLinks: false}}}}")) {
            assertThatThrownBy(() -> Kinds.read(Kustomization.documents(mistake).get(0)))
                    .as(mistake)
                    .isInstanceOf(IllegalArgumentException.class);
        }
    }

    @ParameterizedTest(name = "OPS-08 {0}: kubectl renders the same objects")
    @ValueSource(strings = {"kafka", "overlays/dev", "overlays/prod", "overlays/gateway", "camel-k"})
    void kubectl(String folder) throws Exception {
        assumeTrue(
                Stream.of(System.getenv("PATH").split(":"))
                        .anyMatch(path -> Files.isExecutable(Path.of(path, "kubectl"))),
                "kubectl is not there to compare with");
        var output = stores.resolve("rendered.yaml");
        var process = new ProcessBuilder(
                        "kubectl", "kustomize", FOLDER.resolve(folder).toString())
                .redirectOutput(output.toFile())
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();

        var expected = render(folder);
        var rendered = Files.readString(output);
        for (var map : Kinds.read(expected, ConfigMap.class)) {
            var name = map.getMetadata().getName();
            rendered = rendered.replaceAll("\\b" + name + "-[0-9a-z]{10}\\b", name);
        }
        assertThat(Kustomization.documents(rendered)).containsExactlyInAnyOrderElementsOf(expected);
    }

    @ParameterizedTest(name = "OPS-02 {0}: each pod gets settings that exist, and runs the one context of its name")
    @ValueSource(strings = {"overlays/dev", "overlays/prod", "overlays/gateway", "camel-k"})
    void settings(String folder) throws IOException {
        var objects = render(folder);
        for (var workload : Workload.of(objects)) {
            var settings = settings(workload, objects);

            var expected = workload.name().replace("-migrate", "");
            assertThat(contexts(settings)).as(workload.name()).containsExactly(expected);
            var known = names(Path.of("application.properties")).stream()
                    .map(name -> name.toUpperCase(java.util.Locale.ROOT).replaceAll("[.-]", "_"))
                    .toList();
            assertThat(workload.container().getEnv())
                    .as("variables of %s, each of which is a setting", workload.name())
                    .extracting(EnvVar::getName)
                    .doesNotHaveDuplicates()
                    .isSubsetOf(known);
        }
    }

    @Test
    @DisplayName("OPS-02 the image brings the Java that the build compiles for, and runs without an argument")
    void image() throws IOException {
        var release = Pattern.compile("<maven.compiler.release>(\\d+)<").matcher(Files.readString(Path.of("pom.xml")));
        assertThat(release.find()).isTrue();
        assertThat(Containerfile.read().from()).isEqualTo("eclipse-temurin:" + release.group(1) + "-jre");
        assertThat(Containerfile.read().command()).containsExactly("run");
    }

    @ParameterizedTest(name = "OPS-08 {0}: a pod has no more rights than it needs, and the time to stop")
    @ValueSource(strings = {"overlays/dev", "overlays/prod", "overlays/gateway", "camel-k"})
    void pods(String folder) throws IOException {
        var image = Containerfile.read();
        var objects = render(folder);
        for (var workload : Workload.of(objects)) {
            var pod = workload.pod();
            var container = workload.container();
            assertThat(pod.getAutomountServiceAccountToken())
                    .as(workload.name())
                    .isFalse();
            assertThat(Boolean.FALSE.equals(pod.getEnableServiceLinks())
                            || workload.environment().containsKey("MANAGEMENT_PORT"))
                    .as("%s does not take a service for a setting", workload.name())
                    .isTrue();
            assertThat(pod.getSecurityContext().getRunAsNonRoot()).isTrue();
            assertThat(pod.getSecurityContext().getRunAsUser() + ":"
                            + pod.getSecurityContext().getFsGroup())
                    .as("the user of the image, and its group")
                    .isEqualTo(image.user());
            assertThat(pod.getSecurityContext().getSeccompProfile().getType()).isEqualTo("RuntimeDefault");
            assertThat(container.getSecurityContext().getReadOnlyRootFilesystem())
                    .isTrue();
            assertThat(container.getSecurityContext().getAllowPrivilegeEscalation())
                    .isFalse();
            assertThat(container.getSecurityContext().getCapabilities().getDrop())
                    .containsExactly("ALL");
            assertThat(container.getCommand())
                    .as("the image knows how it is started")
                    .isEmpty();
            assertThat(container.getVolumeMounts())
                    .as("all that may be written to")
                    .filteredOn(mount -> !Boolean.TRUE.equals(mount.getReadOnly()))
                    .extracting(mount -> mount.getMountPath())
                    .containsExactly("/tmp");
            assertThat(container.getResources().getRequests()).containsKeys("cpu", "memory");
            assertThat(Quantity.getAmountInBytes(
                            container.getResources().getLimits().get("memory")))
                    .isEqualTo(Quantity.getAmountInBytes(
                            container.getResources().getRequests().get("memory")));
            if (workload.runs()) {
                long shutdown =
                        Long.parseLong(settings(workload, objects).forCamel().get("camel.main.shutdown-timeout"));
                assertThat(pod.getTerminationGracePeriodSeconds())
                        .as("longer than the routes take to stop, and what they use to be closed")
                        .isGreaterThanOrEqualTo(shutdown + 10);
            }
        }
    }

    @ParameterizedTest(
            name = "OPS-04 {0}: probes, scrapes and the network policy use the ports and paths that there are")
    @ValueSource(strings = {"overlays/dev", "overlays/prod", "overlays/gateway", "camel-k"})
    void ports(String folder) throws IOException {
        var objects = render(folder);
        for (var workload : Workload.of(objects)) {
            var settings = settings(workload, objects);
            var policies = Kinds.read(objects, NetworkPolicy.class).stream()
                    .filter(policy -> selects(policy.getSpec().getPodSelector(), workload))
                    .toList();
            assertThat(policies).as("network policy of " + workload.name()).hasSize(1);
            var policy = policies.get(0).getSpec();
            assertThat(policy.getPolicyTypes()).containsExactly("Ingress", "Egress");
            assertThat(policy.getEgress().stream()
                            .flatMap(rule -> rule.getPorts().stream())
                            .map(NetworkPolicyPort::getPort)
                            .map(IntOrString::getIntVal))
                    .as("where %s may go", workload.name())
                    .containsAll(serverPorts(settings));
            if (!workload.runs()) {
                continue;
            }
            var container = workload.container();
            var health = settings.forCamel().get("camel.management.health-path");
            assertProbe(workload, container.getStartupProbe().getHttpGet(), health + "/live", settings);
            assertProbe(workload, container.getLivenessProbe().getHttpGet(), health + "/live", settings);
            assertProbe(workload, container.getReadinessProbe().getHttpGet(), health + "/ready", settings);
            assertThat(policy.getIngress()).hasSize(1);
            assertThat(policy.getIngress().get(0).getFrom()).isNotEmpty();
            assertThat(policy.getIngress().get(0).getPorts())
                    .extracting(port -> port.getPort().getIntVal())
                    .containsExactly(settings.managementPort());
            var monitors = Kinds.read(objects, PodMonitor.class).stream()
                    .filter(monitor -> selects(monitor.getSpec().getSelector(), workload))
                    .toList();
            assertThat(monitors).as("PodMonitor of " + workload.name()).hasSize(1);
            assertThat(monitors.get(0).getSpec().getPodMetricsEndpoints())
                    .singleElement()
                    .satisfies(endpoint -> {
                        assertThat(endpoint.getPort())
                                .isEqualTo(container.getPorts().get(0).getName());
                        assertThat(endpoint.getPath())
                                .isEqualTo(settings.forCamel().get("camel.metrics.path"));
                    });
        }
    }

    private static void assertProbe(Workload workload, HTTPGetAction probe, String path, Settings settings) {
        assertThat(probe.getPath()).as(workload.name()).isEqualTo(path);
        var port = workload.container().getPorts().stream()
                .filter(candidate -> candidate.getName().equals(probe.getPort().getStrVal())
                        || candidate.getContainerPort().equals(probe.getPort().getIntVal()))
                .findFirst()
                .orElseThrow(() -> new AssertionError(workload.name() + " has no port " + probe.getPort()));
        assertThat(port.getContainerPort())
                .as(workload.name())
                .isEqualTo(settings.managementPort())
                .isEqualTo(Containerfile.read().port());
    }

    private static Set<Integer> serverPorts(Settings settings) {
        var ports = new HashSet<Integer>();
        for (var database : databases(settings)) {
            ports.add(Integer.valueOf(server(database).group(2)));
        }
        if (!settings.kafkaClient().get("security.protocol").equals("PLAINTEXT")) { // a migration: it asks no Kafka
            for (var broker : settings.brokers().split(",")) {
                ports.add(Integer.valueOf(broker.substring(broker.indexOf(':') + 1)));
            }
        }
        return ports;
    }

    private static java.util.regex.Matcher server(Settings.Database database) {
        var server = JDBC.matcher(database.url());
        assertThat(server.matches()).as(database.url()).isTrue();
        return server;
    }

    private static List<Settings.Database> databases(Settings settings) {
        var databases = new ArrayList<Settings.Database>();
        if (settings.identityEnabled()) {
            databases.add(settings.identityDatabase());
        }
        if (settings.newsEnabled()) {
            databases.add(settings.newsDatabase());
        }
        if (settings.accessCacheEnabled()) {
            databases.add(settings.accessCacheDatabase());
        }
        return databases;
    }

    @ParameterizedTest(name = "OPS-05 {0}: TLS to PostgreSQL and Kafka, with both ends checked; secrets by name only")
    @ValueSource(strings = {"overlays/dev", "overlays/prod", "overlays/gateway", "camel-k"})
    void secrets(String folder) throws IOException {
        var objects = render(folder);
        assertThat(objects).extracting(object -> object.path("kind").asText()).doesNotContain("Secret");
        for (var map : Kinds.read(objects, ConfigMap.class)) {
            map.getData()
                    .values()
                    .forEach(content ->
                            assertThat(content).doesNotContainPattern("(?m)^[a-z.-]*(password|jaas-config)"));
        }
        for (var workload : Workload.of(objects)) {
            workload.container().getEnv().forEach(variable -> {
                if (variable.getName().matches(".*(PASSWORD|JAAS_CONFIG)")) {
                    assertThat(variable.getValue()).as(variable.getName()).isNull();
                }
            });
            var settings = settings(workload, objects);
            assertThat(databases(settings))
                    .allSatisfy(database ->
                            assertThat(database.url()).contains("sslmode=verify-full", "sslrootcert=" + mounts));
            if (workload.runs()) {
                assertThat(databases(settings))
                        .allSatisfy(database -> assertThat(database.password()).isEqualTo(SECRET));
                assertThat(settings.kafkaClient())
                        .containsEntry("security.protocol", "SSL")
                        .containsEntry("ssl.keystore.password", SECRET)
                        .hasEntrySatisfying("ssl.truststore.location", this::assertMounted)
                        .hasEntrySatisfying("ssl.keystore.location", this::assertMounted);
            } else {
                assertThat(workload.environment()).containsEntry("DB_MIGRATION_PASSWORD", SECRET);
            }
        }
    }

    private void assertMounted(String file) {
        assertThat(file).startsWith(mounts.toString());
    }

    @Test
    @DisplayName("OPS-05 every secret that a manifest names, with its keys, stands in docs/deployment.md, and no other")
    void documentedSecrets() throws IOException {
        var named = new TreeSet<String>();
        for (var folder : List.of("overlays/dev", "overlays/prod", "overlays/gateway", "camel-k")) {
            var objects = render(folder);
            for (var workload : Workload.of(objects)) {
                workload.container().getEnv().stream()
                        .filter(variable -> variable.getValueFrom() != null)
                        .map(variable -> variable.getValueFrom().getSecretKeyRef())
                        .forEach(key -> named.add(key.getName() + " " + key.getKey()));
                workload.pod().getVolumes().stream()
                        .filter(volume -> volume.getSecret() != null)
                        .forEach(volume -> volume.getSecret()
                                .getItems()
                                .forEach(item -> named.add(volume.getSecret().getSecretName() + " " + item.getKey())));
            }
            for (var authentication : Kinds.read(objects, TriggerAuthentication.class)) {
                authentication.spec().secretTargetRef().forEach(key -> named.add(key.name() + " " + key.key()));
            }
        }
        var documented = new TreeSet<String>();
        Pattern.compile("(?m)^\\| `([a-z-]+)` \\| (`[a-z0-9.]+`(?:, `[a-z0-9.]+`)*) \\|")
                .matcher(Files.readString(Path.of("docs/deployment.md")))
                .results()
                .forEach(row -> Stream.of(row.group(2).replace("`", "").split(", "))
                        .forEach(key -> documented.add(row.group(1) + " " + key)));
        assertThat(documented).isEqualTo(named);
    }

    @ParameterizedTest(name = "OPS-08 {0}: what selects or scales finds what it is for, and all run one image")
    @ValueSource(strings = {"overlays/dev", "overlays/prod", "overlays/gateway", "camel-k"})
    void selectors(String folder) throws IOException {
        var objects = render(folder);
        var workloads = Workload.of(objects);
        assertThat(workloads)
                .extracting(workload -> workload.container().getImage())
                .containsOnly(workloads.get(0).container().getImage());
        assertThat(workloads.get(0).container().getImage()).matches(".+:(dev|\\d+\\.\\d+\\.\\d+)");
        for (var deployment : Kinds.read(objects, Deployment.class)) {
            var template = deployment.getSpec().getTemplate().getMetadata().getLabels();
            assertThat(template)
                    .containsAllEntriesOf(deployment.getSpec().getSelector().getMatchLabels())
                    .containsAllEntriesOf(deployment.getMetadata().getLabels());
            var update = deployment.getSpec().getStrategy().getRollingUpdate();
            assertThat(update.getMaxUnavailable().getIntVal())
                    .as("none goes before another is ready")
                    .isZero();
            assertThat(update.getMaxSurge().getIntVal()).isPositive();
        }
        var running = workloads.stream().filter(Workload::runs).toList();
        assertThat(running).isNotEmpty().allSatisfy(workload -> {
            assertThat(Kinds.read(objects, PodDisruptionBudget.class))
                    .filteredOn(budget -> selects(budget.getSpec().getSelector(), workload))
                    .singleElement()
                    .satisfies(budget -> {
                        assertThat(budget.getSpec().getMaxUnavailable().getIntVal())
                                .isOne();
                        assertThat(budget.getSpec().getUnhealthyPodEvictionPolicy())
                                .as("an outage, in which nobody is ready, holds up no drain")
                                .isEqualTo("AlwaysAllow");
                    });
            assertThat(workload.pod().getTopologySpreadConstraints())
                    .singleElement()
                    .matches(constraint -> selects(constraint.getLabelSelector(), workload));
        });
        for (var scaled : Kinds.read(objects, ScaledObject.class)) {
            assertThat(running)
                    .extracting(Workload::name)
                    .contains(scaled.spec().scaleTargetRef().name());
            assertThat(objects)
                    .filteredOn(object -> object.path("kind").asText().equals("Deployment"))
                    .allSatisfy(deployment -> assertThat(
                                    deployment.at("/spec/replicas").isMissingNode())
                            .as("an apply would set back what the autoscaler has set")
                            .isTrue());
            assertThat(Kinds.read(objects, TriggerAuthentication.class))
                    .extracting(authentication -> authentication.metadata().getName())
                    .contains(
                            scaled.spec().triggers().get(0).authenticationRef().name());
        }
    }

    @ParameterizedTest(
            name = "OPS-08 {0}: autoscaling asks the servers, topics and groups of the settings, up to what helps")
    @ValueSource(strings = {"overlays/prod", "camel-k"})
    void autoscaling(String folder) throws IOException {
        var objects = render(folder);
        var scaled = Kinds.read(objects, ScaledObject.class).stream()
                .collect(Collectors.toMap(object -> object.metadata().getName(), ScaledObject::spec));
        var identity = settings(workload(objects, "access-identity"), objects);
        var news = settings(workload(objects, "access-news"), objects);

        var database = server(identity.identityDatabase());
        assertThat(scaled.get("access-identity").maxReplicaCount())
                .as("lanes of the relay")
                .isEqualTo(4);
        assertThat(scaled.get("access-identity").triggers()).singleElement().satisfies(trigger -> {
            assertThat(trigger.type()).isEqualTo("postgresql");
            assertThat(trigger.metadata())
                    .containsEntry("host", database.group(1))
                    .containsEntry("port", database.group(2))
                    .containsEntry("dbName", database.group(3))
                    .containsOnlyKeys("query", "targetQueryValue", "host", "port", "dbName", "sslmode", "userName");
        });
        assertThat(scaled.get("access-news").maxReplicaCount()).as("partitions").isEqualTo(6);
        assertThat(scaled.get("access-news").triggers()).singleElement().satisfies(trigger -> {
            assertThat(trigger.type()).isEqualTo("kafka");
            assertThat(trigger.metadata())
                    .containsEntry("bootstrapServers", news.brokers())
                    .containsEntry("consumerGroup", news.authorReplica().group())
                    .containsEntry("topic", news.authorReplica().topic())
                    .containsEntry("tls", "enable")
                    .containsOnlyKeys(
                            "bootstrapServers", "consumerGroup", "topic", "lagThreshold", "offsetResetPolicy", "tls");
        });
    }

    @ParameterizedTest(
            name = "OPS-03 {0}: the first step of an update applies what the migrations need, and starts nothing else")
    @ValueSource(strings = {"overlays/dev", "overlays/prod", "overlays/gateway", "camel-k"})
    void firstStep(String folder) throws IOException {
        var selector = Pattern.compile("-l 'app.kubernetes.io/component in \\((.+)\\)'")
                .matcher(Files.readString(Path.of("docs/deployment.md")));
        assertThat(selector.find()).isTrue();
        var components = List.of(selector.group(1).split(", "));

        var applied = render(folder).stream()
                .filter(object -> components.contains(object.at("/metadata/labels/app.kubernetes.io~1component")
                        .asText()))
                .toList();

        assertThat(applied)
                .extracting(object -> object.path("kind").asText())
                .containsOnly("ConfigMap", "NetworkPolicy", "Job");
        for (var job : Workload.of(applied)) {
            assertThatNoException().as(job.name()).isThrownBy(() -> settings(job, applied));
        }
        assertThat(Workload.of(applied))
                .extracting(job -> job.name().replace("-migrate", ""))
                .containsExactlyInAnyOrderElementsOf(Workload.of(render(folder)).stream()
                        .filter(Workload::runs)
                        .map(Workload::name)
                        .toList());
    }

    @Test
    @DisplayName(
            "OPS-08 an Integration runs the image of the Deployment, with its arguments, variables, files and probes")
    void camelK() throws IOException {
        var production = render("overlays/prod");
        var camelK = render("camel-k");
        assertThat(Kinds.read(camelK, Deployment.class))
                .as("the operator makes them")
                .isEmpty();
        for (var integration : Kinds.read(camelK, Integration.class)) {
            var made = workload(camelK, integration.metadata().getName());
            var deployed = workload(production, integration.metadata().getName());
            assertThat(integration.spec().traits().jvm().enabled()).isFalse();
            assertThat(made.labels()).isEqualTo(deployed.labels());
            assertThat(made.container().getImage())
                    .isEqualTo(deployed.container().getImage());
            assertThat(made.container().getArgs())
                    .isEqualTo(deployed.container().getArgs());
            assertThat(made.container().getEnv())
                    .filteredOn(variable -> !variable.getName().equals("MANAGEMENT_PORT"))
                    .isEqualTo(deployed.container().getEnv());
            assertThat(made.pod().getSecurityContext().getRunAsGroup())
                    .isEqualTo(deployed.pod().getSecurityContext().getRunAsGroup());
            assertThat(made.container().getVolumeMounts())
                    .isEqualTo(deployed.container().getVolumeMounts());
            assertThat(made.container().getResources().getRequests())
                    .isEqualTo(deployed.container().getResources().getRequests());
            assertThat(made.pod().getVolumes()).isEqualTo(deployed.pod().getVolumes());
            assertThat(made.pod().getTerminationGracePeriodSeconds())
                    .isEqualTo(deployed.pod().getTerminationGracePeriodSeconds());
        }
    }

    private static List<ObjectNode> render(String folder) throws IOException {
        return Kustomization.render(FOLDER.resolve(folder));
    }

    private Settings settings(Workload workload, List<ObjectNode> objects) throws IOException {
        return workload.settings(objects, mounts, secrets);
    }

    private static Workload workload(List<ObjectNode> objects, String name) {
        return Workload.of(objects).stream()
                .filter(workload -> workload.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static List<String> contexts(Settings settings) {
        var contexts = new ArrayList<String>();
        if (settings.identityEnabled()) {
            contexts.add("access-identity");
        }
        if (settings.newsEnabled()) {
            contexts.add("access-news");
        }
        if (settings.accessCacheEnabled()) {
            contexts.add("access-cache");
        }
        return contexts;
    }

    private static boolean selects(LabelSelector selector, Workload workload) {
        assertThat(selector.getMatchExpressions()).isEmpty();
        assertThat(selector.getMatchLabels()).isNotEmpty();
        return workload.labels()
                .entrySet()
                .containsAll(selector.getMatchLabels().entrySet());
    }

    private static Set<String> names(Path properties) throws IOException {
        var read = new Properties();
        try (var in = Files.newBufferedReader(properties)) {
            read.load(in);
        }
        return read.stringPropertyNames();
    }
}
