package demo;

import java.io.File;
import java.io.IOException;
import java.io.StringWriter;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.apache.camel.RoutesBuilder;
import org.apache.camel.builder.RouteBuilder;
import org.apache.camel.spi.Resource;
import org.apache.camel.support.RoutesBuilderLoaderSupport;

/**
 * Compiles a route that was edited, so that Camel's reloading can put it in the place of the running one. Camel's own loader
 * of Java (camel-java-joor-dsl) does not serve: a class that is on the classpath already it takes as it is, and ours all are.
 */
final class EditedRoutes extends RoutesBuilderLoaderSupport {

    private static final String PACKAGE = "routes.";

    @Override
    public String getSupportedExtension() {
        return "java";
    }

    @Override
    public boolean isSupportedExtension(String extension) {
        return getSupportedExtension().equals(extension);
    }

    /** @throws IllegalArgumentException if the file does not compile, or is no route that can be made anew by itself */
    @Override
    public RoutesBuilder loadRoutesBuilder(Resource resource) throws Exception {
        var source = Path.of(resource.getURI());
        var classes = Files.createTempDirectory("edited-routes");
        compile(source, classes);
        var builder = new EditedClasses(classes).loadClass(className(source, classes));
        try {
            return (RouteBuilder) builder.getDeclaredConstructor().newInstance();
        } catch (ReflectiveOperationException | ClassCastException e) {
            throw new IllegalArgumentException(
                    source.getFileName() + " is no route by itself; what it changes is seen after a new start", e);
        }
    }

    private static void compile(Path source, Path classes) throws IOException {
        var compiler = Objects.requireNonNull(ToolProvider.getSystemJavaCompiler(), "a JDK is needed, this is a JRE");
        var messages = new StringWriter();
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            var options = List.of("-d", classes.toString(), "-classpath", classpath(), "-parameters", "-implicit:none");
            if (!compiler.getTask(messages, files, null, options, null, files.getJavaFileObjects(source))
                    .call()) {
                throw new IllegalArgumentException("it does not compile\n" + messages);
            }
        }
    }

    /** In Maven's JVM the project has a class loader of its own. */
    private static String classpath() {
        if (!(EditedRoutes.class.getClassLoader() instanceof URLClassLoader loader)) {
            return System.getProperty("java.class.path");
        }
        return Stream.of(loader.getURLs())
                .map(url -> Path.of(URI.create(url.toString())).toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static String className(Path source, Path classes) throws IOException {
        var file = source.getFileName().toString().replace(".java", ".class");
        try (var found = Files.walk(classes)) {
            var path = found.filter(
                            compiled -> compiled.getFileName().toString().equals(file))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(source + " declares no class of its own name"));
            var name = classes.relativize(path).toString();
            return name.substring(0, name.length() - ".class".length()).replace(File.separator, ".");
        }
    }

    /** The edited class, and with it all others of its package, which it may know more of than strangers do. */
    private static final class EditedClasses extends URLClassLoader {

        EditedClasses(Path edited) throws IOException {
            super(
                    new URL[] {
                        edited.toUri().toURL(),
                        routes.identity.FanOutRoute.class
                                .getProtectionDomain()
                                .getCodeSource()
                                .getLocation()
                    },
                    EditedRoutes.class.getClassLoader());
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (!name.startsWith(PACKAGE)) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                var loaded = findLoadedClass(name);
                return loaded != null ? loaded : findClass(name);
            }
        }
    }
}
