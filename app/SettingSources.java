package app;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Where settings come from (contract.md, "settings"): the application.properties in the jar names every setting with its
 * default; a file overrides it, the environment overrides the file, and -D overrides all.
 */
final class SettingSources {

    private static final List<String> OUR_PREFIXES =
            List.of("identity.", "news.", "access-cache.", "kafka.", "db.", "management.", "tracing.", "log.");

    private SettingSources() {}

    /**
     * All settings with their values in force, also Camel's that the file or -D gives.
     *
     * @throws SettingException for an unknown name under one of our prefixes, or an unreadable file
     */
    static Map<String, String> read(@Nullable Path file, Map<String, String> environment, Properties system) {
        var defaults = defaults();
        var values = new TreeMap<>(defaults);
        if (file != null) {
            override(values, defaults, fromFile(file), "in " + file);
        }
        for (var name : defaults.keySet()) {
            var value = environment.get(environmentName(name));
            if (value != null) {
                values.put(name, value);
            }
        }
        override(values, defaults, strings(system), "given with -D");
        return values;
    }

    /** {@code identity.fanout.batch-size} is {@code IDENTITY_FANOUT_BATCH_SIZE}. */
    static String environmentName(String setting) {
        return setting.toUpperCase(Locale.ROOT).replace('.', '_').replace('-', '_');
    }

    private static void override(
            Map<String, String> values, Map<String, String> defaults, Map<String, String> overrides, String where) {
        overrides.forEach((name, value) -> {
            boolean ours = OUR_PREFIXES.stream().anyMatch(name::startsWith);
            if (ours && !defaults.containsKey(name)) {
                throw new SettingException(name + ": there is no such setting (" + where + ")");
            }
            if (ours || name.startsWith("camel.")) {
                values.put(name, value);
            }
        });
    }

    private static Map<String, String> defaults() {
        try (var in = Objects.requireNonNull(
                SettingSources.class.getResourceAsStream("/application.properties"), "application.properties")) {
            var properties = new Properties();
            properties.load(new InputStreamReader(in, StandardCharsets.UTF_8));
            return strings(properties);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static Map<String, String> fromFile(Path file) {
        try (var in = Files.newBufferedReader(file)) {
            var properties = new Properties();
            properties.load(in);
            return strings(properties);
        } catch (IOException | IllegalArgumentException e) {
            throw new SettingException("--config " + file + ": cannot be read (" + e + ")");
        }
    }

    private static Map<String, String> strings(Properties properties) {
        var strings = new TreeMap<String, String>();
        properties.stringPropertyNames().forEach(name -> strings.put(name, properties.getProperty(name)));
        return strings;
    }
}
