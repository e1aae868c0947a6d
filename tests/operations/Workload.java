package tests.operations;

import static org.assertj.core.api.Assertions.assertThat;

import app.Settings;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.ContainerPortBuilder;
import io.fabric8.kubernetes.api.model.IntOrString;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.ProbeBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tests.operations.Kinds.Integration;

/** A pod that something of ours starts. */
record Workload(String name, Map<String, String> labels, PodSpec pod) {

    private static final Pattern PORT = Pattern.compile("([a-z]+);(\\d+)");

    /** Those of these objects that start pods. */
    static List<Workload> of(List<ObjectNode> objects) {
        var workloads = new ArrayList<Workload>();
        for (var object : objects) {
            var workload = of(Kinds.read(object));
            if (workload != null) {
                workloads.add(workload);
            }
        }
        return workloads;
    }

    private static @Nullable Workload of(Object object) {
        if (object instanceof Deployment deployment) {
            var template = deployment.getSpec().getTemplate();
            return new Workload(
                    deployment.getMetadata().getName(), template.getMetadata().getLabels(), template.getSpec());
        }
        if (object instanceof Job job) {
            var template = job.getSpec().getTemplate();
            return new Workload(
                    job.getMetadata().getName(), template.getMetadata().getLabels(), template.getSpec());
        }
        return object instanceof Integration integration ? of(integration) : null;
    }

    /** What Camel K's operator makes of an Integration: what the traits say, then its template merged into it. */
    private static Workload of(Integration integration) {
        var traits = integration.spec().traits();
        var template = integration.spec().template().spec();
        var labels = new HashMap<>(integration.metadata().getLabels());
        labels.keySet().retainAll(traits.owner().targetLabels());
        var pod = new PodSpecBuilder(template)
                .editOrNewSecurityContext()
                .withRunAsNonRoot(traits.container().runAsNonRoot())
                .withRunAsUser(traits.container().runAsUser())
                .withNewSeccompProfile()
                .withType(traits.container().seccompProfileType())
                .endSeccompProfile()
                .endSecurityContext()
                .withContainers(container(traits, template.getContainers().get(0)))
                .build();
        return new Workload(integration.metadata().getName(), labels, pod);
    }

    private static Container container(Kinds.Traits traits, Container template) {
        var container = traits.container();
        var health = traits.health();
        return new ContainerBuilder(template)
                .withImage(container.image())
                .withPorts(container.ports().stream()
                        .map(PORT::matcher)
                        .filter(java.util.regex.Matcher::matches)
                        .map(port -> new ContainerPortBuilder()
                                .withName(port.group(1))
                                .withContainerPort(Integer.valueOf(port.group(2)))
                                .build())
                        .toList())
                .withNewResources()
                .addToRequests("cpu", new Quantity(container.requestCpu()))
                .addToRequests("memory", new Quantity(container.requestMemory()))
                .addToLimits("memory", new Quantity(container.limitMemory()))
                .endResources()
                .editOrNewSecurityContext()
                .withAllowPrivilegeEscalation(container.allowPrivilegeEscalation())
                .withNewCapabilities()
                .withDrop(container.capabilitiesDrop())
                .endCapabilities()
                .endSecurityContext()
                .withStartupProbe(probe(
                        health.enabled() && health.startupProbeEnabled(), health.startupProbe(), health.startupPort()))
                .withLivenessProbe(probe(
                        health.enabled() && health.livenessProbeEnabled(),
                        health.livenessProbe(),
                        health.livenessPort()))
                .withReadinessProbe(probe(
                        health.enabled() && health.readinessProbeEnabled(),
                        health.readinessProbe(),
                        health.readinessPort()))
                .build();
    }

    private static io.fabric8.kubernetes.api.model.@Nullable Probe probe(boolean enabled, String path, int port) {
        return enabled
                ? new ProbeBuilder()
                        .withNewHttpGet()
                        .withPath(path)
                        .withPort(new IntOrString(port))
                        .endHttpGet()
                        .build()
                : null;
    }

    Container container() {
        assertThat(pod.getContainers()).hasSize(1);
        return pod.getContainers().get(0);
    }

    /** Whether it runs until it is stopped. */
    boolean runs() {
        return container().getArgs().get(0).equals("run");
    }

    /**
     * The settings as the application would read them there.
     *
     * @param objects among which is the ConfigMap that it mounts
     * @param mounts a folder in which what is mounted is laid out
     * @param secrets the content of secrets' files by the ending of their names
     */
    Settings settings(List<ObjectNode> objects, Path mounts, Map<String, byte[]> secrets) throws IOException {
        var text = new HashMap<String, String>();
        var mounted = new ArrayList<String>();
        for (var mount : container().getVolumeMounts()) {
            var volume = pod.getVolumes().stream()
                    .filter(candidate -> candidate.getName().equals(mount.getName()))
                    .findFirst()
                    .orElseThrow(() -> new AssertionError(name + " mounts " + mount.getName() + ", which it has not"));
            if (volume.getConfigMap() != null) {
                configMap(objects, volume.getConfigMap().getName())
                        .getData()
                        .forEach((file, content) -> text.put(mount.getMountPath() + "/" + file, content));
            } else if (volume.getSecret() != null) {
                for (var item : volume.getSecret().getItems()) {
                    var ending = item.getPath().substring(item.getPath().lastIndexOf('.'));
                    var path = mount.getSubPath() == null
                            ? mount.getMountPath() + "/" + item.getPath()
                            : mount.getMountPath();
                    assertThat(mount.getSubPath()).as(path).isIn(null, item.getPath());
                    var file = mounts.resolve(path.substring(1));
                    Files.createDirectories(file.getParent());
                    Files.write(file, secrets.get(ending));
                    mounted.add(path);
                }
            }
        }
        var arguments = container().getArgs();
        assertThat(arguments).as(name).hasSize(3).element(1).isEqualTo("--config");
        var settings = text.get(arguments.get(2));
        assertThat(settings).as("%s reads %s", name, arguments.get(2)).isNotNull();
        for (var file : mounted) {
            settings = settings.replace(file, mounts + file);
        }
        return Settings.load(
                Files.writeString(mounts.resolve("settings.properties"), settings), environment(), new Properties());
    }

    /** With some text in the place of each secret. */
    Map<String, String> environment() {
        var environment = new HashMap<String, String>();
        container().getEnv().forEach(variable -> {
            if (variable.getValueFrom() == null) {
                environment.put(variable.getName(), variable.getValue());
            } else {
                assertThat(variable.getValueFrom().getSecretKeyRef())
                        .as(variable.getName())
                        .isNotNull();
                environment.put(variable.getName(), ManifestsTest.SECRET);
            }
        });
        return environment;
    }

    private static ConfigMap configMap(List<ObjectNode> objects, String name) {
        return Kinds.read(objects, ConfigMap.class).stream()
                .filter(map -> map.getMetadata().getName().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no ConfigMap " + name));
    }
}
