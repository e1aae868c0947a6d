package tests;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.camel.builder.RouteBuilder;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The layers")
class ArchitectureTest {

    private static final JavaClasses CODE = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("app", "routes", "processors", "sql");

    @Test
    @DisplayName("processors know no route, no wiring, no statement and no JDBC")
    void processors() {
        noClasses()
                .that()
                .resideInAPackage("processors..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "routes..", "app..", "sql..", "javax.sql..", "org.springframework..", "org.postgresql..")
                .check(CODE);
    }

    @Test
    @DisplayName("routes know processors and Camel, but neither the wiring nor JDBC")
    void routes() {
        noClasses()
                .that()
                .resideInAPackage("routes..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("app..", "sql..", "java.sql..", "javax.sql..", "org.springframework..")
                .check(CODE);
        classes()
                .that()
                .areAssignableTo(RouteBuilder.class)
                .should()
                .resideInAPackage("routes..")
                .andShould()
                .haveSimpleNameEndingWith("Route")
                .check(CODE);
    }

    @Test
    @DisplayName("only sql and app.db touch JDBC's rows and connections")
    void jdbc() {
        noClasses()
                .that()
                .resideOutsideOfPackages("sql..", "app.db..")
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.sql.ResultSet")
                .orShould()
                .dependOnClassesThat()
                .haveFullyQualifiedName("java.sql.PreparedStatement")
                .check(CODE);
    }

    @Test
    @DisplayName("cases 16: clocks of workers may differ, for no decision asks one: time is the database's")
    void noClock() {
        noClasses()
                .that()
                .resideInAnyPackage("routes.identity..", "processors.identity..")
                .and()
                .haveSimpleNameNotEndingWith("Observer") // metrics say when this instance did something
                .should()
                .callMethod(System.class, "currentTimeMillis")
                .orShould()
                .callMethod(java.time.Instant.class, "now")
                .orShould()
                .callMethod(java.time.OffsetDateTime.class, "now")
                .orShould()
                .callMethod(java.time.Clock.class, "systemUTC")
                .check(CODE);
        for (var statement :
                List.of("lease-task", "checkpoint", "renew-lease", "hand-back-lease", "fail-exhausted-tasks")) {
            assertThat(Path.of("sql/identity/fanout/" + statement + ".sql"))
                    .content()
                    .contains("clock_timestamp()");
        }
    }

    @Test
    @DisplayName("routes hold no SQL text")
    void noSqlInRoutes() throws IOException {
        var sql = Pattern.compile("\"\\s*(select|insert|update|delete)\\s", Pattern.CASE_INSENSITIVE);
        for (var route : files("routes", ".java")) {
            assertThat(Files.readString(route)).as(route.toString()).doesNotContainPattern(sql);
        }
    }

    @Test
    @DisplayName("every route has an id in kebab-case and a description")
    void routesAreDescribed() throws IOException {
        for (var route : files("routes", "Route.java")) {
            var text = Files.readString(route);
            int routes = count(text, "\\bfrom\\(");
            assertThat(count(text, "\\.routeId\\((consumer\\b|\"[a-z0-9-]+\")"))
                    .as(route.toString())
                    .isEqualTo(routes);
            assertThat(count(text, "\\.description\\(\"")).as(route.toString()).isEqualTo(routes);
        }
    }

    @Test
    @DisplayName("every statement begins with its purpose, parameters, locks and rows")
    void statementsAreDescribed() throws IOException {
        for (var statement : statements()) {
            var text = Files.readString(statement);
            assertThat(text)
                    .as(statement.toString())
                    .startsWith("-- ")
                    .containsPattern("(?m)^-- Parameters: ")
                    .containsPattern("(?m)^-- Locks: ")
                    .containsPattern("(?m)^-- Returns: ");
            // camel-sql takes it for a parameter everywhere, also in a comment
            assertThat(text.replace(":#", "")).as(statement + " has a '#'").doesNotContain("#");
        }
    }

    @Test
    @DisplayName("every statement is used")
    void statementsAreUsed() throws IOException {
        var code = new StringBuilder();
        for (var folder : List.of("routes", "app")) {
            for (var file : files(folder, ".java")) {
                code.append(Files.readString(file));
            }
        }
        for (var statement : statements()) {
            var name = Path.of("sql").relativize(statement).toString().replace(".sql", "");
            assertThat(code).as(statement.toString()).contains(name);
        }
    }

    private static List<Path> statements() throws IOException {
        return files("sql", ".sql").stream()
                .filter(file -> !file.startsWith("sql/migrations"))
                .toList();
    }

    @Test
    @DisplayName("contexts do not know each other, and what they share knows none of them")
    void contexts() {
        for (var context : List.of("identity", "news", "access", "consuming", "failures", "tracing", "operator")) {
            for (var other : List.of("identity", "news", "access")) {
                if (!context.equals(other)) {
                    noClasses()
                            .that()
                            .resideInAnyPackage("routes." + context, "processors." + context, "sql." + context)
                            .should()
                            .dependOnClassesThat()
                            .resideInAnyPackage("routes." + other, "processors." + other, "sql." + other)
                            .check(CODE);
                }
            }
        }
    }

    private static int count(String text, String pattern) {
        return (int) Pattern.compile(pattern).matcher(text).results().count();
    }

    private static List<Path> files(String folder, String ending) throws IOException {
        try (Stream<Path> files = Files.walk(Path.of(folder))) {
            var found = files.filter(file -> file.toString().endsWith(ending)).toList();
            assertThat(found).as("files in " + folder).isNotEmpty();
            return found;
        }
    }
}
