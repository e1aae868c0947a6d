package tests.contract;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Tells whether a JSON Schema has changed in a way that could break somebody who reads by its published version, or who
 * reads older records by the new one (EVT-13).
 *
 * <p>Only these changes are additive: a new property that is not required, a new value of an {@code x-extensible-enum},
 * and words (title, description, examples). Everything else is reported, also what this class knows no rule for: a change
 * is breaking until it is shown not to be. How a schema is divided into {@code $defs} does not matter: references are
 * followed. Recursive schemas are not supported.
 */
final class SchemaCompatibility {

    private static final Set<String> WORDS = Set.of("title", "description", "examples", "$comment", "$defs");
    private static final Set<String> TYPES =
            Set.of("string", "number", "integer", "boolean", "object", "array", "null");

    private final JsonNode publishedRoot;
    private final JsonNode currentRoot;
    private final List<String> breaks = new ArrayList<>();

    private SchemaCompatibility(JsonNode published, JsonNode current) {
        publishedRoot = published;
        currentRoot = current;
    }

    /**
     * @return one line for each breaking change, beginning with the JSON pointer of what changed, in the schema with all
     *     references followed; empty when the change is additive
     */
    static List<String> breaks(JsonNode published, JsonNode current) {
        var comparison = new SchemaCompatibility(published, current);
        comparison.compare("", published, current);
        return comparison.breaks;
    }

    private void compare(String at, JsonNode publishedNode, JsonNode currentNode) {
        var was = followed(publishedNode, publishedRoot);
        var is = followed(currentNode, currentRoot);
        if (!was.isObject() || !is.isObject()) {
            if (!was.equals(is)) {
                report(at, "changed from " + was + " to " + is);
            }
            return;
        }
        var keywords = new TreeSet<String>();
        was.fieldNames().forEachRemaining(keywords::add);
        is.fieldNames().forEachRemaining(keywords::add);
        keywords.removeAll(WORDS);
        for (var keyword : keywords) {
            keyword(at + "/" + escaped(keyword), keyword, was.get(keyword), is.get(keyword));
        }
    }

    /** Either side is null when that schema does not have the keyword. */
    private void keyword(String at, String keyword, @Nullable JsonNode was, @Nullable JsonNode is) {
        switch (keyword) {
            case "properties" -> properties(at, was, is);
            case "required" -> required(at, was, is);
            case "type" -> types(at, was, is);
            case "enum" -> closedList(at, was, is);
            case "x-extensible-enum" -> openList(at, was, is);
            case "items", "then", "else" -> {
                if (was != null && is != null) {
                    compare(at, was, is);
                } else {
                    constraint(at, was, is);
                }
            }
            case "allOf", "anyOf", "oneOf" -> {
                if (was != null && is != null && was.size() == is.size()) {
                    for (int i = 0; i < was.size(); i++) {
                        compare(at + "/" + i, was.get(i), is.get(i));
                    }
                } else {
                    constraint(at, was, is);
                }
            }
            default -> constraint(at, was, is);
        }
    }

    private void properties(String at, @Nullable JsonNode was, @Nullable JsonNode is) {
        if (was == null) {
            return; // each of them is new
        }
        was.properties().forEach(property -> {
            var name = "/" + escaped(property.getKey());
            var now = is == null ? null : is.get(property.getKey());
            if (now == null) {
                report(at + name, "the property is gone, or has another name");
            } else {
                compare(at + name, property.getValue(), now);
            }
        });
    }

    private void required(String at, @Nullable JsonNode was, @Nullable JsonNode is) {
        var before = texts(was);
        var now = texts(is);
        minus(before, now).forEach(name -> report(at, name + " is no longer required"));
        minus(now, before).forEach(name -> report(at, name + " has become required; older records may not have it"));
    }

    private void types(String at, @Nullable JsonNode was, @Nullable JsonNode is) {
        var before = was == null ? TYPES : texts(was);
        var now = is == null ? TYPES : texts(is);
        minus(now, before).forEach(type -> report(at, type + " is allowed now"));
        minus(before, now).forEach(type -> report(at, type + " is no longer allowed; older records may have it"));
    }

    private void closedList(String at, @Nullable JsonNode was, @Nullable JsonNode is) {
        if (was == null || is == null) {
            constraint(at, was, is);
            return;
        }
        var before = values(was);
        var now = values(is);
        minus(now, before).forEach(value -> report(at, value + " is new, and this list is closed"));
        minus(before, now).forEach(value -> report(at, value + " is gone"));
    }

    private void openList(String at, @Nullable JsonNode was, @Nullable JsonNode is) {
        minus(texts(was), texts(is)).forEach(value -> report(at, value + " is gone"));
    }

    private void constraint(String at, @Nullable JsonNode was, @Nullable JsonNode is) {
        if (is == null) {
            report(at, was + " is gone; readers rely on it");
        } else if (was == null) {
            report(at, is + " is new; older records may break it");
        } else if (!expanded(was, publishedRoot).equals(expanded(is, currentRoot))) {
            report(at, "changed from " + was + " to " + is);
        }
    }

    private void report(String at, String change) {
        breaks.add(at + ": " + change);
    }

    /** The schema that a reference names, together with what stands beside the reference. */
    private static JsonNode followed(JsonNode node, JsonNode root) {
        if (!node.has("$ref")) {
            return node;
        }
        var reference = node.get("$ref").asText();
        if (!reference.startsWith("#/")) {
            throw new IllegalArgumentException(reference + " leads out of the schema");
        }
        var target = root.at(reference.substring(1));
        if (target.isMissingNode()) {
            throw new IllegalArgumentException(reference + " leads nowhere");
        }
        var merged = (ObjectNode) followed(target, root).deepCopy();
        node.properties().forEach(beside -> {
            if (!beside.getKey().equals("$ref") && !WORDS.contains(beside.getKey()) && merged.has(beside.getKey())) {
                throw new IllegalArgumentException(
                        beside.getKey() + " stands beside " + reference + " and in it: which of them counts?");
            }
            merged.set(beside.getKey(), beside.getValue());
        });
        merged.remove("$ref");
        return merged;
    }

    /** The same with all references in it followed, so that a change behind one of them is seen. */
    private static JsonNode expanded(JsonNode node, JsonNode root) {
        var expanded = followed(node, root).deepCopy();
        if (expanded instanceof ObjectNode object) {
            object.properties().forEach(field -> field.setValue(expanded(field.getValue(), root)));
        } else if (expanded instanceof ArrayNode array) {
            for (int i = 0; i < array.size(); i++) {
                array.set(i, expanded(array.get(i), root));
            }
        }
        return expanded;
    }

    /** With their quotes: the number 1 is not the text "1". */
    private static Set<String> values(JsonNode list) {
        var values = new TreeSet<String>();
        list.forEach(value -> values.add(value.toString()));
        return values;
    }

    private static Set<String> texts(@Nullable JsonNode list) {
        var texts = new TreeSet<String>();
        if (list != null && list.isArray()) {
            list.forEach(value -> texts.add(value.asText()));
        } else if (list != null) {
            texts.add(list.asText());
        }
        return texts;
    }

    private static Set<String> minus(Set<String> all, Set<String> without) {
        var rest = new TreeSet<>(all);
        rest.removeAll(without);
        return rest;
    }

    private static String escaped(String name) {
        return name.replace("~", "~0").replace("/", "~1");
    }
}
