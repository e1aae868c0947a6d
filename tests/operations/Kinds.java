package tests.operations;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.cfg.CoercionAction;
import com.fasterxml.jackson.databind.cfg.CoercionInputShape;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.databind.type.LogicalType;
import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.openshift.api.model.monitoring.v1.PodMonitor;
import io.fabric8.openshift.api.model.monitoring.v1.PrometheusRule;
import io.strimzi.api.kafka.model.topic.KafkaTopic;
import io.strimzi.api.kafka.model.user.KafkaUser;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The kinds of our manifests, read as strictly as the API server would: an unknown field, or a value of another type, is an
 * error. The models are the publishers' own; KEDA and Camel K publish none for Java, so that those say here which fields we
 * use, by their documentation.
 */
final class Kinds {

    private static final ObjectMapper STRICT = strict();

    private static final Map<String, Class<?>> KINDS = Map.ofEntries(
            Map.entry("v1 ConfigMap", ConfigMap.class),
            Map.entry("apps/v1 Deployment", Deployment.class),
            Map.entry("batch/v1 Job", Job.class),
            Map.entry("policy/v1 PodDisruptionBudget", PodDisruptionBudget.class),
            Map.entry("networking.k8s.io/v1 NetworkPolicy", NetworkPolicy.class),
            Map.entry("monitoring.coreos.com/v1 PodMonitor", PodMonitor.class),
            Map.entry("monitoring.coreos.com/v1 PrometheusRule", PrometheusRule.class),
            Map.entry("kafka.strimzi.io/v1 KafkaTopic", KafkaTopic.class),
            Map.entry("kafka.strimzi.io/v1 KafkaUser", KafkaUser.class),
            Map.entry("keda.sh/v1alpha1 ScaledObject", ScaledObject.class),
            Map.entry("keda.sh/v1alpha1 TriggerAuthentication", TriggerAuthentication.class),
            Map.entry("camel.apache.org/v1 Integration", Integration.class));

    /** What Camel K lets a template say of the pod: less than Kubernetes does. */
    private static final Set<String> INTEGRATION_POD = Set.of(
            "automountServiceAccountToken",
            "volumes",
            "initContainers",
            "containers",
            "ephemeralContainers",
            "restartPolicy",
            "terminationGracePeriodSeconds",
            "activeDeadlineSeconds",
            "dnsPolicy",
            "nodeSelector",
            "topologySpreadConstraints",
            "securityContext");

    private Kinds() {}

    /**
     * @throws IllegalArgumentException for an unknown kind, or what is no such object
     */
    static Object read(JsonNode object) {
        var kind =
                object.path("apiVersion").asText() + " " + object.path("kind").asText();
        var model = KINDS.get(kind);
        if (model == null) {
            throw new IllegalArgumentException("unknown: " + kind);
        }
        if (model == Integration.class) {
            object.at("/spec/template/spec").fieldNames().forEachRemaining(field -> {
                if (!INTEGRATION_POD.contains(field)) {
                    throw new IllegalArgumentException("unknown in an Integration: " + field);
                }
            });
        }
        return STRICT.convertValue(object, model);
    }

    /** The objects of one kind. */
    static <T> List<T> read(List<? extends JsonNode> objects, Class<T> kind) {
        return objects.stream()
                .map(Kinds::read)
                .filter(kind::isInstance)
                .map(kind::cast)
                .toList();
    }

    private static ObjectMapper strict() {
        var mapper = new ObjectMapper();
        mapper.enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES);
        // The published models keep what they do not know.
        mapper.setAnnotationIntrospector(new JacksonAnnotationIntrospector() {
            @Override
            public Boolean hasAnySetter(Annotated annotated) {
                return false;
            }
        });
        // An unquoted true is no text, say as the value of a variable.
        for (var shape : List.of(CoercionInputShape.Boolean, CoercionInputShape.Integer, CoercionInputShape.Float)) {
            mapper.coercionConfigFor(LogicalType.Textual).setCoercion(shape, CoercionAction.Fail);
        }
        return mapper;
    }

    record ScaledObject(String apiVersion, String kind, ObjectMeta metadata, ScaledObjectSpec spec) {}

    record ScaledObjectSpec(
            ScaleTarget scaleTargetRef,
            int minReplicaCount,
            int maxReplicaCount,
            int pollingInterval,
            Fallback fallback,
            Advanced advanced,
            List<Trigger> triggers) {}

    record ScaleTarget(
            @Nullable String apiVersion, @Nullable String kind, String name) {}

    record Fallback(int failureThreshold, int replicas) {}

    record Advanced(HorizontalPodAutoscalerConfig horizontalPodAutoscalerConfig) {}

    record HorizontalPodAutoscalerConfig(Behavior behavior) {}

    record Behavior(ScaleDown scaleDown) {}

    record ScaleDown(int stabilizationWindowSeconds, List<ScalingPolicy> policies) {}

    record ScalingPolicy(String type, int value, int periodSeconds) {}

    /** All metadata is text, also numbers. */
    record Trigger(String type, Map<String, String> metadata, AuthenticationRef authenticationRef) {}

    record AuthenticationRef(String name) {}

    record TriggerAuthentication(String apiVersion, String kind, ObjectMeta metadata, TriggerAuthenticationSpec spec) {}

    record TriggerAuthenticationSpec(List<SecretTarget> secretTargetRef) {}

    record SecretTarget(String parameter, String name, String key) {}

    record Integration(String apiVersion, String kind, ObjectMeta metadata, IntegrationSpec spec) {}

    record IntegrationSpec(Traits traits, IntegrationTemplate template) {}

    record IntegrationTemplate(PodSpec spec) {}

    record Traits(
            ContainerTrait container,
            JvmTrait jvm,
            HealthTrait health,
            PrometheusTrait prometheus,
            OwnerTrait owner,
            DeploymentTrait deployment) {}

    record ContainerTrait(
            String image,
            List<String> ports,
            boolean expose,
            @JsonProperty("requestCPU") String requestCpu,
            String requestMemory,
            @JsonProperty("limitCPU") String limitCpu,
            String limitMemory,
            boolean runAsNonRoot,
            long runAsUser,
            boolean allowPrivilegeEscalation,
            List<String> capabilitiesDrop,
            String seccompProfileType) {}

    record JvmTrait(boolean enabled) {}

    record HealthTrait(
            boolean enabled,
            boolean startupProbeEnabled,
            String startupProbe,
            int startupPort,
            int startupPeriod,
            int startupTimeout,
            int startupFailureThreshold,
            boolean livenessProbeEnabled,
            String livenessProbe,
            int livenessPort,
            int livenessPeriod,
            int livenessTimeout,
            int livenessFailureThreshold,
            boolean readinessProbeEnabled,
            String readinessProbe,
            int readinessPort,
            int readinessPeriod,
            int readinessTimeout,
            int readinessFailureThreshold) {}

    record PrometheusTrait(boolean enabled) {}

    record OwnerTrait(List<String> targetLabels) {}

    record DeploymentTrait(String strategy, int rollingUpdateMaxUnavailable, int rollingUpdateMaxSurge) {}
}
