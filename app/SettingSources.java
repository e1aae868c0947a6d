package app;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Where settings come from (contract.md, "settings"; OPS-05): the application.properties in the jar names every setting with
 * its default; a file overrides it, a directory of secrets the file, the environment both, and -D overrides all.
 */
final class SettingSources {

    private static final List<String> OUR_PREFIXES = List.of(
            "identity.", "news.", "access-cache.", "kafka.", "db.", "management.", "tracing.", "log.", "secrets.");

    private static final String SECRETS = "secrets.directory";

    private SettingSources() {}

    /**
     * All settings with their values in force, also Camel's that the file or -D gives.
     *
     * @throws SettingException for an unknown name under one of our prefixes, or an unreadable file or directory
     */
    static Map<String, String> read(@Nullable Path file, Map<String, String> environment, Properties system) {
        var defaults = defaults();
        var values = new TreeMap<>(defaults);
        if (file != null) {
            override(values, defaults, fromFile(file), "in " + file);
        }
        var given = new TreeMap<String, String>();
        for (var name : defaults.keySet()) {
            var value = environment.get(environmentName(name));
            if (value != null) {
                given.put(name, value);
            }
        }
        var directory = system.getProperty(SECRETS, given.getOrDefault(SECRETS, values.getOrDefault(SECRETS, "")));
        if (!directory.isBlank()) {
            override(values, defaults, fromDirectory(directory.strip()), "in " + directory);
        }
        values.putAll(given);
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
            boolean ours = isOurs(name);
            if (ours && !defaults.containsKey(name)) {
                throw new SettingException(name + ": there is no such setting (" + where + ")");
            }
            if (ours || name.startsWith("camel.")) {
                values.put(name, value);
            }
        });
    }

    private static boolean isOurs(String name) {
        return OUR_PREFIXES.stream().anyMatch(name::startsWith);
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

    /**
     * A file for each setting, as Kubernetes mounts a secret: its name is the setting's, its content the value. What else
     * lies there, such as key stores, is somebody else's.
     */
    private static Map<String, String> fromDirectory(String directory) {
        var found = new TreeMap<String, String>();
        try (var files = Files.newDirectoryStream(Path.of(directory))) {
            for (var file : files) {
                var name = file.getFileName().toString();
                if (isOurs(name)) {
                    found.put(name, content(file));
                }
            }
            return found;
        } catch (IOException | DirectoryIteratorException | InvalidPathException e) {
            throw new SettingException(SECRETS + ": '" + directory + "' cannot be read (" + e + ")");
        }
    }

    /** Without the end of its last line, which editors and {@code echo} add and nobody means. */
    private static String content(Path file) {
        try {
            return Files.readString(file).replaceFirst("\\R\\z", "");
        } catch (IOException e) {
            throw new SettingException(SECRETS + ": '" + file + "' cannot be read (" + e + ")");
        }
    }

    private static Map<String, String> strings(Properties properties) {
        var strings = new TreeMap<String, String>();
        properties.stringPropertyNames().forEach(name -> strings.put(name, properties.getProperty(name)));
        return strings;
    }
}
