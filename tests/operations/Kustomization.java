package tests.operations;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * What {@code kubectl apply -k} would apply, for as much of kustomize as our manifests use; the rest is refused. Patches are
 * merged field by field, which is what kustomize does where they hold no list. Names of ConfigMaps are without their hash.
 */
final class Kustomization {

    static final ObjectMapper YAML = new ObjectMapper(new YAMLFactory());

    private final Path folder;
    private final Content content;
    private final TreeSet<Path> files = new TreeSet<>();

    private record Content(
            String apiVersion,
            String kind,
            @Nullable String namespace,
            @Nullable List<String> resources,
            @Nullable List<Patch> patches,
            @Nullable List<Image> images,
            @Nullable List<Generator> configMapGenerator,
            @Nullable List<String> configurations) {}

    private record Patch(String path) {}

    private record Image(String name, String newName, String newTag) {}

    private record Generator(
            String name, List<String> files, @Nullable Options options) {}

    private record Options(
            @Nullable Map<String, String> labels, @Nullable Map<String, String> annotations) {}

    private Kustomization(Path folder) throws IOException {
        this.folder = folder;
        this.content = YAML.readValue(file("kustomization.yaml").toFile(), Content.class);
    }

    /** The objects in the order in which they are named. */
    static List<ObjectNode> render(Path folder) throws IOException {
        return new Kustomization(folder).render();
    }

    /** The files that the kustomization in this folder names, itself included, without those of other kustomizations. */
    static TreeSet<Path> files(Path folder) throws IOException {
        var kustomization = new Kustomization(folder);
        kustomization.render();
        return kustomization.files;
    }

    /** The objects of a file of YAML. */
    static List<ObjectNode> documents(String yaml) throws IOException {
        try (var documents = YAML.readerFor(ObjectNode.class).<ObjectNode>readValues(yaml)) {
            return documents.readAll();
        }
    }

    private List<ObjectNode> render() throws IOException {
        var objects = new ArrayList<ObjectNode>();
        for (var resource : orEmpty(content.resources)) {
            var path = folder.resolve(resource).normalize();
            objects.addAll(Files.isDirectory(path) ? render(path) : documents(Files.readString(file(resource))));
        }
        for (var generator : orEmpty(content.configMapGenerator)) {
            objects.add(configMap(generator));
        }
        for (var patch : orEmpty(content.patches)) {
            for (var change : documents(Files.readString(file(patch.path)))) {
                apply(change, objects);
            }
        }
        for (var image : orEmpty(content.images)) {
            for (var container : containers(objects)) {
                if (container.path("image").asText().equals(image.name)) {
                    container.put("image", image.newName + ":" + image.newTag);
                }
            }
        }
        for (var configuration : orEmpty(content.configurations)) {
            file(configuration);
        }
        if (content.namespace != null) {
            objects.forEach(object -> object.withObject("/metadata").put("namespace", content.namespace));
        }
        return objects;
    }

    private ObjectNode configMap(Generator generator) throws IOException {
        var map = YAML.createObjectNode().put("apiVersion", "v1").put("kind", "ConfigMap");
        for (var entry : generator.files) {
            var parts = entry.split("=");
            map.withObject("/data").put(parts[0], Files.readString(file(parts[parts.length - 1])));
        }
        var metadata = map.withObject("/metadata").put("name", generator.name);
        if (generator.options != null && generator.options.labels != null) {
            metadata.set("labels", YAML.valueToTree(generator.options.labels));
        }
        if (generator.options != null && generator.options.annotations != null) {
            metadata.set("annotations", YAML.valueToTree(generator.options.annotations));
        }
        return map;
    }

    private void apply(ObjectNode change, List<ObjectNode> objects) {
        var changed =
                objects.stream().filter(object -> id(object).equals(id(change))).toList();
        assertThat(changed).as("what %s in %s changes", id(change), folder).hasSize(1);
        if (change.path("$patch").asText().equals("delete")) {
            objects.removeAll(changed);
        } else {
            merge(changed.get(0), change);
        }
    }

    private void merge(ObjectNode object, ObjectNode change) {
        change.properties().forEach(field -> {
            assertThat(field.getValue().isArray())
                    .as("%s in a patch of %s: a list would be merged by rules that are not known here", field, folder)
                    .isFalse();
            if (field.getValue().isNull()) {
                object.remove(field.getKey());
            } else if (field.getValue() instanceof ObjectNode inner && object.get(field.getKey()) != null) {
                merge((ObjectNode) object.get(field.getKey()), inner);
            } else {
                object.set(field.getKey(), field.getValue());
            }
        });
    }

    private static String id(ObjectNode object) {
        return object.path("kind").asText() + "/" + object.at("/metadata/name").asText();
    }

    private static List<ObjectNode> containers(List<ObjectNode> objects) {
        var containers = new ArrayList<ObjectNode>();
        objects.forEach(object -> object.findValues("containers").stream()
                .flatMap(JsonNode::valueStream)
                .forEach(container -> containers.add((ObjectNode) container)));
        return containers;
    }

    private Path file(String name) {
        var file = folder.resolve(name);
        assertThat(file).isRegularFile();
        files.add(file);
        return file;
    }

    private static <T> List<T> orEmpty(@Nullable List<T> list) {
        return list == null ? List.of() : list;
    }
}
